/** Renders the pages that are displayed if no service responds. They contain both languages, because the user's language is unknown. */
import { createHash } from 'node:crypto'
import en from '#locales/en/gateway.json' with { type: 'json' }
import zh from '#locales/zh/gateway.json' with { type: 'json' }
import { html } from '#server/text/html.ts'

export type GatewayPage =
  | 'unknown'
  | 'stopped'
  | 'starting'
  | 'silent'
  /** The client's address or the service has used up its share of requests. */
  | 'crowded'
  | 'busy'
  | 'too-large'

const pageStyle =
  ':root{color-scheme:light dark}body{margin:0;min-block-size:100vh;display:grid;place-items:center;' +
  "font:16px/1.6 system-ui,'PingFang SC','Microsoft YaHei','Noto Sans SC',sans-serif;" +
  'color:light-dark(#16202a,#e6edf1);background:light-dark(#f3f5f7,#12181d)}' +
  'main{box-sizing:border-box;margin:16px;padding:24px 32px;max-inline-size:480px;border-radius:12px;' +
  'border:1px solid light-dark(#c9d2d9,#3b4851);border-block-start:4px solid light-dark(#0b6671,#6cc9d4);' +
  'background:light-dark(#fff,#1a2228)}h1,h2{font-size:20px;line-height:1.3;margin:0 0 8px}p{margin:0 0 24px}' +
  'section:last-child p{margin:0}'

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
}

const textKeys: Record<GatewayPage, readonly [title: keyof typeof en, text: keyof typeof en]> = {
  unknown: ['unknown-title', 'unknown-text'],
  stopped: ['stopped-title', 'stopped-text'],
  starting: ['starting-title', 'starting-text'],
  silent: ['silent-title', 'silent-text'],
  crowded: ['crowded-title', 'crowded-text'],
  busy: ['busy-title', 'busy-text'],
  'too-large': ['too-large-title', 'too-large-text'],
}

/** Seconds until the page reloads itself. Null if the page does not reload itself. */
const refreshSeconds: Record<GatewayPage, number | null> = {
  unknown: null,
  stopped: 15,
  starting: 2,
  silent: 5,
  crowded: 10,
  busy: 10,
  'too-large': null,
}
const statusesByPage: Partial<Record<GatewayPage, number>> = { unknown: 404, crowded: 429, 'too-large': 413 }

interface RenderedPage {
  status: number
  headers: Record<string, string>
  body: string
}

const renderedPages = new Map<string, RenderedPage>()

/**
 * `isForm` is true unless the method is GET or HEAD. Then `crowded` and `busy` do not reload, but ask to send the form again. Pages are
 * cached, because a flood requests the same ones.
 */
export function getGatewayPage(page: GatewayPage, isForm: boolean): RenderedPage {
  const key = `${page} ${isForm}`
  const renderedPage = renderedPages.get(key) ?? renderPage(page, isForm)
  renderedPages.set(key, renderedPage)
  return renderedPage
}

function renderPage(page: GatewayPage, isForm: boolean): RenderedPage {
  const [title, text] = textKeys[page]
  const isRefused = page === 'crowded' || page === 'busy'
  const hintKey = isRefused && (isForm ? 'send-again' : 'refreshes')
  const seconds = refreshSeconds[page]
  const shouldReload = seconds !== null && !(isRefused && isForm)
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${shouldReload && html`<meta http-equiv="refresh" content="${seconds}">`}<title>${en[title]} · ${zh[title]}</title><style>${{ html: pageStyle }}</style></head>
<body>
<main>
<section><h1>${en[title]}</h1><p>${en[text]}${hintKey && ` ${en[hintKey]}`}</p></section>
<section lang="zh-Hans"><h2>${zh[title]}</h2><p>${zh[text]}${hintKey && zh[hintKey]}</p></section>
</main>
</body>
</html>
`.html
  const retryHeaders = seconds === null ? {} : { 'retry-after': String(seconds) }
  return { status: statusesByPage[page] ?? 503, headers: { ...pageHeaders, ...retryHeaders }, body }
}
