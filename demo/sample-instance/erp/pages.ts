import en from '#locales/en/sample-instance.json' with { type: 'json' }
import zh from '#locales/zh/sample-instance.json' with { type: 'json' }
import { html, type HtmlMarkup } from '#server/text/html.ts'
import type { SampleSession } from '#demo/sample-instance/erp/users.ts'

const textsByLanguage = { en, zh }
export type TextKey = keyof typeof en
export type SampleLanguage = keyof typeof textsByLanguage

/** Returns the first supported language in `Accept-Language`. */
export function parseLanguage(accepted: string | undefined): SampleLanguage {
  const [, languageCode] = /(?:^|[,;\s])(en|zh)\b/i.exec((accepted ?? '').slice(0, 200)) ?? []
  return languageCode?.toLowerCase() === 'zh' ? 'zh' : 'en'
}

export type SampleTranslate = (textKey: TextKey, values?: Record<string, string | number>) => string
export const createTranslate =
  (language: SampleLanguage): SampleTranslate =>
  (key, values = {}) =>
    textsByLanguage[language][key].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

export interface PageView {
  language: SampleLanguage
  translate: SampleTranslate
  code: string
  site: 'www' | 'admin'
  /** Host name of the other site (`www` or `admin`). */
  otherSite: string
  path: string
  session: SampleSession | null
}

const navigationLinks: Record<PageView['site'], readonly [path: string, word: TextKey][]> = {
  www: [['/items', 'items']],
  admin: [
    ['/', 'overview'],
    ['/users', 'users'],
    ['/apps', 'apps'],
  ],
}

export function renderFrame(view: PageView, title: string, body: HtmlMarkup): string {
  const { translate, language, code, session } = view
  return html`<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · ${code} · ${translate('mark')}</title><link rel="stylesheet" href="/style.css"></head>
<body class="${view.site}">
<p class="mark"><strong>${translate('mark')}</strong> <span>${translate('mark-text')}</span></p>
<header><span class="code">${translate('service', { code })}</span>${session && renderNavigation(view, session)}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.html
}

function renderNavigation({ translate, site, path, otherSite }: PageView, session: SampleSession): HtmlMarkup {
  const isCurrent = (href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))
  const links = navigationLinks[site].map(
    ([href, textKey]) =>
      html`<a href="${href}"${isCurrent(href) && html` aria-current="page"`}>${translate(textKey)}</a>`,
  )
  const otherSiteLabel =
    site === 'admin' ? translate('to-items') : session.user.is_admin === 1 && translate('administration')
  return html`<nav>${links}${otherSiteLabel !== false && html`<a href="//${otherSite}/">${otherSiteLabel}</a>`}</nav>
<form method="post" action="/sign-out">${renderCsrfField(session)}<span>${session.user.name}</span> <button class="quiet">${translate('sign-out')}</button></form>`
}

export const renderCsrfField = ({ csrf }: SampleSession): HtmlMarkup =>
  html`<input type="hidden" name="csrf" value="${csrf}">`

export const renderField = (
  translate: SampleTranslate,
  textKey: TextKey,
  name: string,
  value: string,
  attributes: HtmlMarkup | false = false,
): HtmlMarkup =>
  html`<label><span>${translate(textKey)}</span><input name="${name}" value="${value}" required${attributes}></label>`

export const renderAlert = (text: string | null): HtmlMarkup | false =>
  text !== null && html`<p class="alert" role="alert">${text}</p>`

export function renderSignInPage(view: PageView, name: string, fault: string | null): string {
  const { translate } = view
  return renderFrame(
    view,
    translate('sign-in'),
    html`${renderAlert(fault)}
<form method="post" class="fields narrow">
${renderField(translate, 'user', 'user', name, html` autocomplete="username" autocapitalize="none" maxlength="40"`)}
${renderField(translate, 'password', 'password', '', html` type="password" autocomplete="current-password" maxlength="200"`)}
<p><button>${translate('sign-in')}</button></p>
</form>`,
  )
}

export const renderMessagePage = (view: PageView, textKey: TextKey): string =>
  renderFrame(
    view,
    view.translate(textKey),
    html`<p><a href="/">${view.translate(view.site === 'admin' ? 'overview' : 'items')}</a></p>`,
  )
