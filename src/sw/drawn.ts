/** Lays the list that was last drawn at an address into the page that answers for it, until the page draws itself. */
import { type Drawn, findDrawn } from '#local/drawn.ts'

/** Rows a little later are better than a page that waits for them. */
const mostMs = 150

export async function withDrawn(shell: Promise<Response>, { pathname, search }: URL): Promise<Response> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, mostMs, null))
  const found = findDrawn(pathname + search, { build: __BUILD__, now: Date.now() }).catch(() => null)
  const [page, drawn] = await Promise.all([shell, Promise.race([found, late])])
  return drawn && page.ok ? await lay(page, drawn) : page
}

/** Nothing in it answers or is read out: React clears the root as it puts in what does. */
async function lay(page: Response, { language, theme, sheets, html }: Drawn): Promise<Response> {
  const links = sheets.map(
    ([path, precedence]) => `<link rel="stylesheet" href="${quoted(path)}" data-precedence="${quoted(precedence)}">`,
  )
  const text = (await page.text())
    .replace(/<html [^>]*>/, () => `<html lang="${quoted(language)}" dir="ltr" data-theme="${quoted(theme)}">`)
    .replace('</head>', () => `${links.join('')}</head>`)
    .replace('<div id="root">', (root) => `${root}<div class="drawn" inert>${html}</div>`)
  const { status, headers } = page
  return new Response(text, { status, headers })
}

const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
