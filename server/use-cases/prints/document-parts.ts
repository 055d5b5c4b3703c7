/** Renders the parts of printed documents (contracts 9). */
import { detectLanguage } from '#domain/text.ts'
import { toCapitalNumerals } from '#domain/capital-numerals.ts'
import { buildAddressLines } from '#domain/accounts/company-address.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import { type Currency, groupThousands, readAmount } from '#domain/money.ts'
import type { PrintReader } from '#server/db/orders/print-data.ts'
import { html, type HtmlMarkup, type HtmlPart } from '#server/text/html.ts'
import { formatSignedAmount, formatStep, isSum } from '#server/use-cases/documents/fee-steps.ts'
import type { FrozenInvoice, InvoiceParty } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'
import { renderSheet } from '#server/use-cases/prints/page.ts'
import type { TranslateText } from '#server/text/translator.ts'

export interface PrintContext {
  seller: InvoiceParty
  buyer: InvoiceParty
  reader: PrintReader
  time: string
  /** The business time zone, for all dates and times. */
  zone: string
  nonce: string
}

interface PrintDocument {
  title: string
  number: string
  /** Part of the title, which becomes the name of the PDF. */
  subject: string
  /** A mark at the head of the document if it is unpaid or no longer valid. */
  mark?: { title: string; text: string } | null
  body: HtmlPart[]
}

export function renderDocument(
  { seller, buyer, reader, time, zone, nonce }: PrintContext,
  { title, number, subject, mark, body }: PrintDocument,
): string {
  const translate = createPrintTranslator(reader.language)
  return renderSheet({
    language: reader.language,
    nonce,
    title: `${title} ${number} · ${subject}`,
    footer: `${title} ${number} · ${buyer.name}`,
    body: html`<header class="head">
<div><p class="product" lang="${detectLanguage(seller.name)}">${seller.name}</p><h1>${title}</h1></div>
<p class="number">${number}</p>
</header>
${mark && html`<p class="mark"><strong>${mark.title}</strong>${mark.text}</p>`}
<div class="parties">${renderParty(translate, translate('seller'), seller)}${renderParty(translate, translate('buyer'), buyer)}</div>
${body}
<p class="printed">${translate('printed', { time, name: reader.name })} · ${translate('zone', { zone })}</p>`,
  })
}

function renderParty(translate: TranslateText, role: string, { name, code, ...details }: InvoiceParty): HtmlMarkup {
  const addressLines = buildAddressLines(details, details.country && translate(`country.${details.country}`))
  return html`<section><h2>${role}</h2>
<p class="party"><strong lang="${detectLanguage(name)}">${name}</strong>${addressLines.map((line) => html`<br>${line}`)}</p>
${renderList([
  [translate('companyCode'), code],
  [translate('taxNumber'), details.tax_number],
  [translate('tel'), details.tel],
  [translate('email'), details.email],
  [translate('website'), details.website],
])}</section>`
}

export type PrintFact = [label: string, value: HtmlPart]

/** Renders one fact per row. Empty values are left out. */
export const renderList = (facts: PrintFact[]): HtmlMarkup =>
  html`<dl>${facts
    .filter(([, value]) => (value ?? '') !== '')
    .map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

export const renderFacts = (facts: PrintFact[]): HtmlMarkup => html`<div class="two">${renderList(facts)}</div>`

export const renderPayment = (
  translate: TranslateText,
  { invoice_no: number, issued, payment }: FrozenInvoice,
): HtmlMarkup =>
  renderFacts([
    [translate('fact.invoice'), number],
    [translate('fact.issued'), issued],
    [translate('fact.paid'), payment.paid],
    [translate('fact.gateway'), translate(`gateway.${payment.gateway}`) || payment.gateway],
    [translate('fact.reference'), payment.reference],
  ])

export function renderSteps(
  translate: TranslateText,
  currency: Currency,
  steps: readonly FeeStep[],
  namesByCode: ReadonlyMap<string, string> = new Map(),
): HtmlMarkup {
  const rows = steps.map(
    (step, index) => html`<tr${isSum(step, steps[index + 1]) && html` class="sum"`}>
<td>${formatStep(translate, step, namesByCode)}</td><td class="amount">${groupThousands(step.amount)}</td></tr>`,
  )
  return html`<h2>${translate('why')}</h2>
<table>
<thead><tr><th>${translate('item')}</th><th class="amount">${translate('amount', { currency })}</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
}

interface TotalsInput {
  currency: Currency
  partialAmounts: [label: string, amount: string][]
  totalAmount: string
  /** Null if nothing was paid. */
  paidAmount: string | null
}

export function renderTotals(
  translate: TranslateText,
  { currency, partialAmounts, totalAmount, paidAmount }: TotalsInput,
): HtmlMarkup {
  const renderRow = (label: string, value: string, className: string) =>
    html`<tr class="${className}"><th scope="row">${label}</th><td class="amount">${formatSignedAmount(currency, value)}</td></tr>`
  return html`<table class="totals"><tbody>
${partialAmounts.map(([label, value]) => renderRow(label, value, 'part'))}
${renderRow(translate('total.amount'), totalAmount, 'whole')}
${currency === 'RMB' && html`<tr class="capitals"><th scope="row">${translate('capitals')}</th><td>${toCapitalNumerals(readAmount(totalAmount))}</td></tr>`}
${paidAmount !== null && renderRow(translate('total.paid'), paidAmount, 'part')}
</tbody></table>`
}
