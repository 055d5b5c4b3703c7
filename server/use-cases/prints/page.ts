/** What all printed documents have in common: the sheet of paper, its styles, and the button that prints it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/print.json' with { type: 'json' }
import zh from '#locales/zh/print.json' with { type: 'json' }
import { html, type Markup } from '#server/text/html.ts'
import { languageTags, type Translate, translator } from '#server/text/i18n.ts'

export const printWords = (language: Language): Translate => translator({ en, zh }, language)

/** Ours, read once: it stands in the page, because a ticket opens one address and no second one. */
const styles: Markup = { html: readFileSync(join(import.meta.dirname, 'print.css'), 'utf8') }
/** Nothing but the button's press. */
const script: Markup = { html: "document.querySelector('button').addEventListener('click', () => print())" }

/** No script and no style but the page's own, nothing from anywhere, no frame around it. */
export const printPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

interface Sheet {
  language: Language
  nonce: string
  title: string
  /** At the foot of each page, between what it is and the page's number. */
  foot: string
  body: Markup
}

/** The title names the PDF that is made of it. The foot is drawn by the browser's paged media (`@page`). */
export function sheet({ language, nonce, title, foot, body }: Sheet): string {
  const paged = html`
@page { @bottom-left { content: ${quoted(foot)}; } @bottom-right { content: counter(page) ' / ' counter(pages); } }`
  return page({
    language,
    nonce,
    title,
    paged,
    body: html`<div class="bar"><button type="button" autofocus>${printWords(language)('print')}</button></div>
<main class="paper">
${body}
</main>
<script nonce="${nonce}">${script}</script>`,
  })
}

/** As a string of CSS: whatever is not plain is written by its number. */
const quoted = (text: string): Markup => ({
  html: `'${[...text].map((sign) => (/[\p{L}\p{N} .,:·-]/u.test(sign) ? sign : `\\${sign.codePointAt(0)?.toString(16)} `)).join('')}'`,
})

export function gonePage(language: Language, nonce: string): string {
  const say = printWords(language)
  const title = say('gone.title')
  const body = html`<main class="paper gone">
<h1>${title}</h1>
<p>${say('gone.text')}</p>
</main>`
  return page({ language, nonce, title, paged: null, body })
}

interface Whole {
  language: Language
  nonce: string
  title: string
  paged: Markup | null
  body: Markup
}

const page = ({ language, nonce, title, paged, body }: Whole): string =>
  html`<!doctype html>
<html lang="${languageTags[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${styles}${paged}</style>
</head>
<body>
${body}
</body>
</html>
`.html
