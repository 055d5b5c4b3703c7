/** Lays the list that was last drawn at an address into the page that answers for it, until the page draws itself. */
import type { Device } from '#local/device.ts'
import { type Drawn, findDrawn } from '#local/drawn.ts'

/**
 * So long a page that could be there waits for its rows; after it, rows a little later are better. Not from the beginning: a
 * machine that stands still for a moment would use it up before the device is even asked.
 */
export const mostMs = 300

export async function withDrawn(
  shell: Promise<Response>,
  { pathname, search }: URL,
  build: string,
  device?: Device,
): Promise<Response> {
  const found = findDrawn(pathname + search, { build, now: Date.now() }, device).catch(() => null)
  const page = await shell
  const late = new Promise<null>((resolve) => setTimeout(resolve, mostMs, null))
  const drawn = await Promise.race([found, late])
  return drawn && page.ok ? await lay(page, drawn) : page
}

const sheetOfAll = /<link rel="stylesheet"[^>]*>/

/**
 * Nothing in it answers or is read out: React clears the root as it puts in what does. The sheets stand right before it, in
 * the order that they have in a page without it: there a browser reads on only when they are here. In the head it does not
 * wait, and Chromium, which looks for forms as soon as all is read, then lays the list out without them and keeps some of
 * that after they have come. `expect` keeps it from drawing half a table, whose columns would move with every further row.
 */
async function lay(page: Response, { language, theme, sheets, html }: Drawn): Promise<Response> {
  const links = sheets.map(
    ([path, precedence]) => `<link rel="stylesheet" href="${quoted(path)}" data-precedence="${quoted(precedence)}">`,
  )
  const shell = await page.text()
  links.push(shell.match(sheetOfAll)?.[0] ?? '')
  const text = shell
    .replace(/<html [^>]*>/, () => `<html lang="${quoted(language)}" dir="ltr" data-theme="${quoted(theme)}">`)
    .replace(sheetOfAll, '<link rel="expect" href="#all" blocking="render">')
    .replace(
      '<div id="root">',
      (root) => `${links.join('')}${root}<div class="drawn" inert>${html}</div><i id="all"></i>`,
    )
  const { status, headers } = page
  return new Response(text, { status, headers })
}

const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
