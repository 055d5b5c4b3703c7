import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '#domain/accounts/users.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'
import { languageTags } from '#server/text/translator.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'

/** Style sheet. It is embedded in the page, because a ticket opens one address only. */
const styles: HtmlMarkup = { html: readFileSync(join(import.meta.dirname, 'print.css'), 'utf8') }
const script: HtmlMarkup = { html: "document.querySelector('button').addEventListener('click', () => print())" }

/** Returns a content security policy that allows only the page's own script and style, and no frame around the page. */
export const getPrintPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

interface SheetInput {
  language: Language
  nonce: string
  title: string
  footer: string
  body: HtmlMarkup
}

/** Renders a printable page. The title becomes the name of the PDF. The browser draws the foot of each page (`@page`). */
export function renderSheet({ language, nonce, title, footer, body }: SheetInput): string {
  const pageStyles = html`
@page { @bottom-left { content: ${quoteCss(footer)}; } @bottom-right { content: counter(page) ' / ' counter(pages); } }`
  return renderPage({
    language,
    nonce,
    title,
    pageStyles,
    body: html`<div class="bar"><button type="button" autofocus>${createPrintTranslator(language)('print')}</button></div>
<main class="paper">
${body}
</main>
<script nonce="${nonce}">${script}</script>`,
  })
}

const quoteCss = (text: string): HtmlMarkup => ({
  html: `'${[...text].map((character) => (/[\p{L}\p{N} .,:·-]/u.test(character) ? character : `\\${character.codePointAt(0)?.toString(16)} `)).join('')}'`,
})

export function renderGonePage(language: Language, nonce: string): string {
  const translate = createPrintTranslator(language)
  const title = translate('gone.title')
  const body = html`<main class="paper gone">
<h1>${title}</h1>
<p>${translate('gone.text')}</p>
</main>`
  return renderPage({ language, nonce, title, pageStyles: null, body })
}

interface PageInput {
  language: Language
  nonce: string
  title: string
  pageStyles: HtmlMarkup | null
  body: HtmlMarkup
}

const renderPage = ({ language, nonce, title, pageStyles, body }: PageInput): string =>
  html`<!doctype html>
<html lang="${languageTags[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${styles}${pageStyles}</style>
</head>
<body>
${body}
</body>
</html>
`.html
