/** What every page of a sample instance has: its mark, who is signed in, the way around. */
import en from '#locales/en/sample-instance.json' with { type: 'json' }
import zh from '#locales/zh/sample-instance.json' with { type: 'json' }
import { html, type Markup } from '#server/text/html.ts'
import type { Session } from '#demo/sample-instance/users.ts'

const words = { en, zh }
export type Word = keyof typeof en
export type Language = keyof typeof words

/** The first of ours that the browser asks for. */
export function languageOf(accepted: string | undefined): Language {
  const [, found] = /(?:^|[,;\s])(en|zh)\b/i.exec((accepted ?? '').slice(0, 200)) ?? []
  return found?.toLowerCase() === 'zh' ? 'zh' : 'en'
}

export type Say = (word: Word, values?: Record<string, string | number>) => string
export const sayIn =
  (language: Language): Say =>
  (word, values = {}) =>
    words[language][word].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))

export interface Shown {
  language: Language
  say: Say
  code: string
  site: 'www' | 'admin'
  /** Host of the other site. */
  otherSite: string
  path: string
  session: Session | null
}

const ways: Record<Shown['site'], readonly [path: string, word: Word][]> = {
  www: [['/items', 'items']],
  admin: [
    ['/', 'overview'],
    ['/users', 'users'],
    ['/apps', 'apps'],
  ],
}

export function frame(shown: Shown, title: string, body: Markup): string {
  const { say, language, code, session } = shown
  return html`<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · ${code} · ${say('mark')}</title><link rel="stylesheet" href="/style.css"></head>
<body class="${shown.site}">
<p class="mark"><strong>${say('mark')}</strong> <span>${say('mark-text')}</span></p>
<header><span class="code">${say('service', { code })}</span>${session && navigation(shown, session)}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.html
}

function navigation({ say, site, path, otherSite }: Shown, session: Session): Markup {
  const isHere = (way: string) => (way === '/' ? path === '/' : path === way || path.startsWith(`${way}/`))
  const links = ways[site].map(
    ([way, word]) => html`<a href="${way}"${isHere(way) && html` aria-current="page"`}>${say(word)}</a>`,
  )
  const other = site === 'admin' ? say('to-items') : session.user.is_admin === 1 && say('administration')
  return html`<nav>${links}${other !== false && html`<a href="//${otherSite}/">${other}</a>`}</nav>
<form method="post" action="/sign-out">${csrfField(session)}<span>${session.user.name}</span> <button class="quiet">${say('sign-out')}</button></form>`
}

export const csrfField = ({ csrf }: Session): Markup => html`<input type="hidden" name="csrf" value="${csrf}">`

export const field = (say: Say, word: Word, name: string, value: string, more: Markup | false = false): Markup =>
  html`<label><span>${say(word)}</span><input name="${name}" value="${value}" required${more}></label>`

export const alert = (text: string | null): Markup | false =>
  text !== null && html`<p class="alert" role="alert">${text}</p>`

export function signInPage(shown: Shown, name: string, fault: string | null): string {
  const { say } = shown
  return frame(
    shown,
    say('sign-in'),
    html`${alert(fault)}
<form method="post" class="fields narrow">
${field(say, 'user', 'user', name, html` autocomplete="username" autocapitalize="none" maxlength="40"`)}
${field(say, 'password', 'password', '', html` type="password" autocomplete="current-password" maxlength="200"`)}
<p><button>${say('sign-in')}</button></p>
</form>`,
  )
}

export const messagePage = (shown: Shown, word: Word): string =>
  frame(
    shown,
    shown.say(word),
    html`<p><a href="/">${shown.say(shown.site === 'admin' ? 'overview' : 'items')}</a></p>`,
  )
