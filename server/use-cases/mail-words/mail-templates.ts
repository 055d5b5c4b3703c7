/** Renders mails as plain text and as HTML, in the recipient's language. */
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/mail.json' with { type: 'json' }
import zh from '#locales/zh/mail.json' with { type: 'json' }
import { html } from '#server/text/html.ts'
import type { MailKind } from '#server/use-cases/mail/mail-kinds.ts'
import type { DeviceDescription } from '#server/use-cases/sessions/user-agent.ts'
import { languageTags, createTranslator } from '#server/text/translator.ts'

export interface MailValues {
  name: string
  company: string
  code: string
  email: string
  link: string
  time?: string
  device?: string
  network?: string
  /** Name of a member of the provider's staff. */
  staff?: string
  service?: string
  date?: string
  amount?: string
  matter?: string
  left?: string
  /** Name of the company that the mail is about, if it is not the recipient's. */
  customer?: string
  invoice?: string
  backup?: string
  month?: string
  /** Number of entries in the log. `fingerprint` is that of the log's key. Both are for mails about checkpoints. */
  count?: string
  fingerprint?: string
  /** Text whose line breaks are kept. */
  block?: string
  /** Kind of the attached document. */
  attached?: AttachedKind
}

export type AttachedKind = 'invoice' | 'creditNote'

export interface ComposedMail {
  subject: string
  text: string
  html: string
}

const texts = { en, zh }

/** Subjects contain no values from users (S-05), so nobody can inject a header or advertise in one. */
export function renderMailTemplate(
  kind: MailKind,
  language: Language,
  { link, block = '', attached, ...values }: MailValues,
): ComposedMail {
  const { customer = '', staff = '' } = values
  const safeValues = {
    ...values,
    name: preventLinks(values.name),
    company: preventLinks(values.company),
    customer: preventLinks(customer),
    staff: preventLinks(staff),
  }
  const translate = createTranslator(texts, language)
  const translateFilled = (key: string) => translate(key, safeValues)
  const parts = {
    subject: translateFilled(`subject.${kind}`),
    hello: translateFilled('hello'),
    text: translateFilled(`text.${kind}`),
    file: attached ? translate(`attached.${attached}`) : '',
    button: translateFilled(`button.${kind}`),
    note: translateFilled(`note.${kind}`),
    fallback: translateFilled('fallback'),
    closing: translateFilled('closing'),
    product: translateFilled('product'),
    link,
    block,
  }
  const { subject, hello, text, file, button, note, closing, product } = parts
  return {
    subject: `${subject} · ${product}`,
    text:
      [hello, text, file, `${button}:\n${link}`, note, block, `-- \n${closing}`]
        .filter((paragraph) => paragraph !== '')
        .join('\n\n') + '\n',
    html: renderPage(languageTags[language], parts),
  }
}

/** Returns a text such as "Chrome on Windows". A missing browser or system is left out. */
export function formatMailDevice(
  language: Language,
  { browser, system }: Pick<DeviceDescription, 'browser' | 'system'>,
): string {
  const translate = createTranslator(texts, language)
  if (browser && system) return translate('device.on', { browser, system })
  return browser ?? system ?? translate('device.unknown')
}

/** Anyone can sign up with any name. A word joiner after dots and slashes keeps mail programs from making links. */
export const preventLinks = (name: string) => name.replace(/[.:/@](?=\S)/g, '$&\u2060')

type MailPart =
  | 'hello'
  | 'text'
  | 'file'
  | 'note'
  | 'subject'
  | 'button'
  | 'link'
  | 'fallback'
  | 'closing'
  | 'product'
  | 'block'

/** Styles are inline, because not every mail program reads others. The colours work on light and dark backgrounds. */
function renderPage(language: string, parts: Record<MailPart, string>): string {
  const { hello, text, file, note, subject, button, link, fallback, closing, product, block } = parts
  const font = 'font-family:-apple-system,Segoe UI,Roboto,PingFang SC,Microsoft YaHei,Noto Sans SC,sans-serif'
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px 16px;background:#f3f5f7;color:#16202a;${font};font-size:16px;line-height:1.6">
<main style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #dde3e8;border-radius:12px">
<p style="margin:0 0 24px;color:#0b6671;font-weight:600">${product}</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${subject}</h1>
<p style="margin:0 0 8px">${hello}</p>
<p style="margin:0 0 24px">${text}</p>
${file && html`<p style="margin:0 0 24px">${file}</p>`}
<p style="margin:0 0 24px"><a href="${link}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#0b6671;color:#ffffff;font-weight:600;text-decoration:none">${button}</a></p>
<p style="margin:0 0 24px">${note}</p>
${block === '' ? '' : html`<pre style="margin:0 0 24px;padding:12px;border:1px solid #dde3e8;border-radius:8px;font-size:12px;white-space:pre-wrap;word-break:break-all">${block}</pre>`}
<p style="margin:0;color:#55616d;font-size:14px">${fallback}<br><a href="${link}" style="color:#0b6671;word-break:break-all">${link}</a></p>
</main>
<p style="max-width:560px;margin:16px auto 0;color:#55616d;font-size:13px">${closing}</p>
</body>
</html>
`.html
}
