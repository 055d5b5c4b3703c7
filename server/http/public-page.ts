/** Renders small pages for users who are not signed in or whose app does not load. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/pages.json' with { type: 'json' }
import zh from '#locales/zh/pages.json' with { type: 'json' }
import { html, type HtmlMarkup } from '#server/text/html.ts'
import { languageTags, type TranslateText, createTranslator } from '#server/text/translator.ts'
import { acceptsHtml } from '#server/http/static-files.ts'

export const createPageTranslator = (language: Language): TranslateText => createTranslator({ en, zh }, language)

const styles: HtmlMarkup = { html: readFileSync(join(import.meta.dirname, 'public-page.css'), 'utf8') }

interface PageContent {
  language: Language
  title: string
  body: HtmlMarkup
}

/** Returns the page with its headers. The policy allows no script and only its own style. */
export function renderPublicPage({ language, title, body }: PageContent): {
  body: Buffer
  headers: Record<string, string>
} {
  const nonce = randomBytes(16).toString('base64')
  const page = html`<!doctype html>
<html lang="${languageTags[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${styles}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    body: Buffer.from(page.html),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    },
  }
}

export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  (headers.accept ?? '').includes('text/html') && acceptsHtml(headers)
