import { type Currency, writeAmount } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/sandbox.json' with { type: 'json' }
import zh from '#locales/zh/sandbox.json' with { type: 'json' }
import type { SandboxIntent, CheckoutSession, AlipayTrade } from '#demo/payment-sandbox/sandbox-store.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'

const textsByLanguage = { en, zh }
type TextKey = keyof typeof en
const languageTags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

const translate = (language: Language, key: TextKey, values: Record<string, string> = {}) =>
  textsByLanguage[language][key].replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

/** Formats the amount as the portal does: with the portal's currency code and separators. */
export function formatAmount({ amount, currency }: { amount: number; currency: string }): string {
  const codes: Record<string, Currency> = { CNY: 'RMB', HKD: 'HKD', USD: 'USD' }
  const [units = '', decimals] = writeAmount(BigInt(amount)).split('.')
  const code = currency.toUpperCase()
  return `${codes[code] ?? code} ${units.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`
}

interface PageView {
  language: Language
  /** Path and query without `lang`, for the language switch. */
  path: string
}

function renderFrame({ language, path }: PageView, theme: 'card' | 'alipay', title: TextKey, body: HtmlMarkup): string {
  const t = (textKey: TextKey) => translate(language, textKey)
  const otherLanguage: Language = language === 'en' ? 'zh' : 'en'
  const otherLanguageUrl = `${path}${path.includes('?') ? '&' : '?'}lang=${otherLanguage}`
  return html`<!doctype html>
<html lang="${languageTags[language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${t(title)} · ${t('mark')}</title><link rel="stylesheet" href="/sandbox.css"></head>
<body class="${theme}">
<header><p><strong>${t('mark')}</strong> <span>${t('no-money')}</span></p><a href="${otherLanguageUrl}" lang="${languageTags[otherLanguage]}" hreflang="${languageTags[otherLanguage]}">${t('other-language')}</a></header>
<main>
<h1>${t(title)}</h1>
${body}
</main>
</body>
</html>
`.html
}

const renderAmountDue = (language: Language, amount: string, subject: string): HtmlMarkup => html`<dl>
<dt>${translate(language, 'to-pay')}</dt><dd class="amount">${amount}</dd>
<dt>${translate(language, 'for')}</dt><dd>${subject}</dd>
</dl>`

export const testCards: readonly [number: string, word: TextKey][] = [
  ['4242 4242 4242 4242', 'card-ok'],
  ['4000 0025 0000 3155', 'card-asks'],
  ['4000 0000 0000 0002', 'card-refused'],
  ['4000 0000 0000 9995', 'card-funds'],
  ['4000 0000 0000 0069', 'card-expired'],
  ['4000 0084 0000 1629', 'card-asks-refused'],
]

/** Renders test cards to choose from. The page has no field for a card number, so that nobody can enter a real card. */
export function renderCardPage(view: PageView, session: CheckoutSession, isDeclined: boolean): string {
  const { language } = view
  const amount = formatAmount(session)
  const choices = testCards.map(
    ([number, textKey], index) =>
      html`<label><input type="radio" name="card" value="${number}"${index === 0 && html` checked`}><span>${translate(language, textKey)}</span><code>${number}</code></label>`,
  )
  return renderFrame(
    view,
    'card',
    'card-title',
    html`${renderAmountDue(language, amount, session.description)}
${isDeclined && html`<p class="declined" role="alert">${translate(language, 'declined')}</p>`}
<form method="post">
<fieldset><legend>${translate(language, 'card-choose')}</legend>${choices}</fieldset>
<button>${translate(language, 'pay', { amount })}</button>
</form>
<p class="back"><a href="${session.cancelUrl}">${translate(language, 'back')}</a></p>`,
  )
}

export function renderBankPage(view: PageView, intent: SandboxIntent): string {
  const { language } = view
  const digits = intent.card?.slice(-4) ?? ''
  return renderFrame(
    view,
    'card',
    'bank-title',
    html`${renderAmountDue(language, formatAmount(intent), intent.description ?? '')}
<p>${translate(language, 'bank-question', { digits })}</p>
<form method="post">
<button name="answer" value="yes">${translate(language, 'bank-yes')}</button>
<button name="answer" value="no" class="quiet">${translate(language, 'bank-no')}</button>
</form>`,
  )
}

export function renderAlipayPage(view: PageView, alipayTrade: AlipayTrade): string {
  const { language } = view
  const amount = formatAmount(alipayTrade)
  return renderFrame(
    view,
    'alipay',
    'alipay-title',
    html`${renderAmountDue(language, amount, alipayTrade.subject)}
<p class="account">${translate(language, 'alipay-account')}<br>${translate(language, 'alipay-trade')} <code>${alipayTrade.tradeNo}</code></p>
<form method="post">
<button name="answer" value="pay">${translate(language, 'pay', { amount })}</button>
<button name="answer" value="back" class="quiet">${translate(language, 'back')}</button>
</form>`,
  )
}

export function renderGonePage(view: PageView, textKey: 'gone' | 'closed'): string {
  return renderFrame(view, 'card', 'gone-title', html`<p>${translate(view.language, textKey)}</p>`)
}
