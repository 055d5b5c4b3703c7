import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/sandbox.json' with { type: 'json' }
import zh from '#locales/zh/sandbox.json' with { type: 'json' }
import { getEarliestExpiry } from '#demo/payment-sandbox/card-tokens.ts'
import { testCards } from '#demo/payment-sandbox/pages.ts'
import { testCardNumbers } from '#demo/payment-sandbox/test-cards.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'

const textsByLanguage = { en, zh }

interface CardFrameOptions {
  language: Language
  /** Origin of the embedding page. Messages are posted to this origin only. */
  shop: string
  /** Identifies the messages of this frame to the embedding page. */
  nonce: string
  publishableKey: string
  /** Epoch ms. */
  now: number
}

const errorKeys = [
  'number-short',
  'number-wrong',
  'number-real',
  'expiry-short',
  'expiry-wrong',
  'expiry-past',
  'cvc-short',
] as const

export function renderCardFramePage({ language, shop, nonce, publishableKey, now }: CardFrameOptions): string {
  const t = textsByLanguage[language]
  const settings = {
    shop,
    nonce,
    key: publishableKey,
    // The frame refuses every other card number and never sends it.
    numbers: testCardNumbers,
    earliestExpiry: getEarliestExpiry(now),
    errors: Object.fromEntries(errorKeys.map((errorKey) => [errorKey, t[errorKey]])),
  }
  const renderField = (name: string, label: string, placeholder: string): HtmlMarkup => html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" inputmode="numeric" autocomplete="off" autocorrect="off" spellcheck="false" placeholder="${placeholder}" aria-describedby="${name}-error">
<p id="${name}-error" class="error" hidden></p>
</div>`
  return html`<!doctype html>
<html lang="${language === 'en' ? 'en' : 'zh-Hans'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${t['fields-title']}</title><link rel="stylesheet" href="/card-fields.css"></head>
<body data-settings="${JSON.stringify(settings)}">
<main>
${renderField('number', t['fields-number'], '1234 1234 1234 1234')}
<div class="pair">
${renderField('expiry', t['fields-expiry'], 'MM / YY')}
${renderField('cvc', t['fields-cvc'], '123')}
</div>
<details>
<summary><strong>${t.mark}</strong> ${t['fields-note']}</summary>
<ul>${testCards.map(
    ([number, textKey]) =>
      html`<li><button type="button" data-number="${number}"><code>${number}</code> <span>${t[textKey]}</span></button></li>`,
  )}</ul>
</details>
</main>
<script src="/card-fields.js"></script>
</body>
</html>
`.html
}
