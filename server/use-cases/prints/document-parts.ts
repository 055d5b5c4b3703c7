/** Renders the parts of printed documents (contracts 9). */
import { detectLanguage } from '#domain/text.ts'
import { toCapitalNumerals } from '#domain/capital-numerals.ts'
import { buildAddressLines } from '#domain/accounts/company-address.ts'
import type { CompanyField } from '#domain/accounts/company-fields.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import { trimPercent } from '#domain/fees/percent.ts'
import { type Currency, groupThousands, readAmount } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { CompanyRecord } from '#server/db/accounts/companies.ts'
import type { PrintReader } from '#server/db/orders/print-data.ts'
import { html, type HtmlMarkup, type HtmlPart } from '#server/text/html.ts'
import { createPrintTranslator, renderSheet } from '#server/use-cases/prints/page.ts'
import type { TranslateText } from '#server/text/translator.ts'

/** A company on a document. Older invoices have no tax number. */
export type InvoiceParty = Pick<CompanyRecord, CompanyField> & Partial<Pick<CompanyRecord, 'tax_number'>>

/** The stored parts of an invoice, which never change. */
export interface FrozenInvoice {
  invoice_no: string
  issued: string
  seller: InvoiceParty
  buyer: InvoiceParty | null
  service: { code: string; name: string }
  pay_amount: string
  payment: { gateway: string; reference: string; paid: string }
}

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

/** Returns a text with the first and the last day (D18). `end` is exclusive. */
export const formatDays = (translate: TranslateText, from: PlainDate, end: PlainDate) =>
  translate('days', { from, to: getLastDay(end) })

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

/** Codes of steps that are sums. Sums are highlighted among the amounts that they consist of. */
const sumCodes: readonly FeeStep['code'][] = ['sum', 'total', 'annual', 'contract', 'residual']

/** Whether a step is highlighted as a sum. Of several equal sums in a row, only the last one is. */
const isSum = ({ code, amount }: FeeStep, next: FeeStep | undefined) =>
  sumCodes.includes(code) && !(next && sumCodes.includes(next.code) && next.amount === amount)

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

const amountNames = ['price', 'of', 'bound', 'minimum', 'annual', 'gb'] as const
const codesWithDays: readonly FeeStep['code'][] = ['years', 'months', 'segment', 'paid']

/** Returns the values of a step as they are printed. `name` is the name of its module. */
function formatStepValues(translate: TranslateText, { code, values }: FeeStep, name: string) {
  const { from, to, days: count, percent } = values
  return {
    ...values,
    ...Object.fromEntries(amountNames.flatMap((key) => (values[key] ? [[key, groupThousands(values[key])]] : []))),
    ...(codesWithDays.includes(code) && from && to ? { days: formatDays(translate, from, to) } : {}),
    ...(percent ? { percent: trimPercent(percent) } : {}),
    ...(count ? { count } : {}),
    name,
  }
}

function formatStep(translate: TranslateText, step: FeeStep, namesByCode: ReadonlyMap<string, string>): string {
  const { code, values } = step
  const moduleCode = values['code'] ?? ''
  const stepValues = formatStepValues(translate, step, namesByCode.get(moduleCode) ?? moduleCode)
  if (code === 'uat') return translate(`step.uat.${values['reading'] ?? 'floor'}`, stepValues)
  if (code === 'segment' || code === 'paid') {
    const variant = values['days'] && values['years'] ? 'capped' : values['days'] ? 'days' : 'years'
    return translate(`step.${code}.${variant}`, stepValues)
  }
  return translate(`step.${code}`, stepValues)
}

interface TotalsInput {
  currency: Currency
  partialAmounts: [label: string, amount: string][]
  totalAmount: string
  /** Null if nothing was paid. */
  paidAmount: string | null
}

/** The minus sign of a deduction is in front of the currency. */
const formatSignedAmount = (currency: Currency, amount: string) =>
  amount.startsWith('-') ? `−${currency} ${groupThousands(amount.slice(1))}` : `${currency} ${groupThousands(amount)}`

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
