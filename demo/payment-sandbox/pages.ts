/** What the payer sees where a gateway's own page would be: ours, and plainly marked as a test. */
import { type Currency, writeAmount } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/sandbox.json' with { type: 'json' }
import zh from '#locales/zh/sandbox.json' with { type: 'json' }
import type { Intent, Session, Trade } from '#demo/payment-sandbox/payment-store.ts'
import { html, type Markup } from '#server/text/html.ts'

const words = { en, zh }
type Word = keyof typeof en
/** As the `lang` attribute has it. */
const tags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

const say = (language: Language, word: Word, values: Record<string, string> = {}) =>
  words[language][word].replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

/** As the portal writes it, whatever the gateway calls the currency. */
export function amountOf({ amount, currency }: { amount: number; currency: string }): string {
  const codes: Record<string, Currency> = { CNY: 'RMB', HKD: 'HKD', USD: 'USD' }
  const [units = '', places] = writeAmount(BigInt(amount)).split('.')
  const code = currency.toUpperCase()
  return `${codes[code] ?? code} ${units.replace(/\B(?=(\d{3})+$)/g, ',')}.${places}`
}

interface Shown {
  language: Language
  /** Path and query without `lang`, for the switch. */
  here: string
}

function frame({ language, here }: Shown, look: 'card' | 'alipay', title: Word, body: Markup): string {
  const t = (word: Word) => say(language, word)
  const other: Language = language === 'en' ? 'zh' : 'en'
  const switched = `${here}${here.includes('?') ? '&' : '?'}lang=${other}`
  return html`<!doctype html>
<html lang="${tags[language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${t(title)} · ${t('mark')}</title><link rel="stylesheet" href="/sandbox.css"></head>
<body class="${look}">
<header><p><strong>${t('mark')}</strong> <span>${t('no-money')}</span></p><a href="${switched}" lang="${tags[other]}" hreflang="${tags[other]}">${t('other-language')}</a></header>
<main>
<h1>${t(title)}</h1>
${body}
</main>
</body>
</html>
`.html
}

const due = (language: Language, amount: string, subject: string): Markup => html`<dl>
<dt>${say(language, 'to-pay')}</dt><dd class="amount">${amount}</dd>
<dt>${say(language, 'for')}</dt><dd>${subject}</dd>
</dl>`

export const testCards: readonly [number: string, word: Word][] = [
  ['4242 4242 4242 4242', 'card-ok'],
  ['4000 0025 0000 3155', 'card-asks'],
  ['4000 0000 0000 0002', 'card-refused'],
  ['4000 0000 0000 9995', 'card-funds'],
  ['4000 0000 0000 0069', 'card-expired'],
  ['4000 0084 0000 1629', 'card-asks-refused'],
]

/** There is no field for a number: nobody can type a real card into a test. */
export function cardPage(shown: Shown, session: Session, isDeclined: boolean): string {
  const { language } = shown
  const amount = amountOf(session)
  const choices = testCards.map(
    ([number, word], at) =>
      html`<label><input type="radio" name="card" value="${number}"${at === 0 && html` checked`}><span>${say(language, word)}</span><code>${number}</code></label>`,
  )
  return frame(
    shown,
    'card',
    'card-title',
    html`${due(language, amount, session.description)}
${isDeclined && html`<p class="declined" role="alert">${say(language, 'declined')}</p>`}
<form method="post">
<fieldset><legend>${say(language, 'card-choose')}</legend>${choices}</fieldset>
<button>${say(language, 'pay', { amount })}</button>
</form>
<p class="back"><a href="${session.cancelUrl}">${say(language, 'back')}</a></p>`,
  )
}

export function bankPage(shown: Shown, intent: Intent): string {
  const { language } = shown
  const digits = intent.card?.slice(-4) ?? ''
  return frame(
    shown,
    'card',
    'bank-title',
    html`${due(language, amountOf(intent), intent.description ?? '')}
<p>${say(language, 'bank-question', { digits })}</p>
<form method="post">
<button name="answer" value="yes">${say(language, 'bank-yes')}</button>
<button name="answer" value="no" class="quiet">${say(language, 'bank-no')}</button>
</form>`,
  )
}

export function alipayPage(shown: Shown, trade: Trade): string {
  const { language } = shown
  const amount = amountOf(trade)
  return frame(
    shown,
    'alipay',
    'alipay-title',
    html`${due(language, amount, trade.subject)}
<p class="account">${say(language, 'alipay-account')}<br>${say(language, 'alipay-trade')} <code>${trade.tradeNo}</code></p>
<form method="post">
<button name="answer" value="pay">${say(language, 'pay', { amount })}</button>
<button name="answer" value="back" class="quiet">${say(language, 'back')}</button>
</form>`,
  )
}

export function gonePage(shown: Shown, word: 'gone' | 'closed'): string {
  return frame(shown, 'card', 'gone-title', html`<p>${say(shown.language, word)}</p>`)
}
