/** The parts of printed documents: who sells to whom, facts, how an amount is made up, totals, what was paid (contracts 9). */
import { languageOf } from '#domain/text.ts'
import { inCapitals } from '#domain/capital-numerals.ts'
import type { CompanyField } from '#domain/accounts/companies.ts'
import type { Step } from '#domain/fees/explain.ts'
import { type Currency, grouped, readAmount } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { CompanyRecord } from '#server/db/accounts/companies.ts'
import type { Reader } from '#server/db/orders/print-data.ts'
import { html, type Markup, type Part } from '#server/text/html.ts'
import { printWords, sheet } from '#server/use-cases/prints/page.ts'
import type { Translate } from '#server/text/i18n.ts'

/** As a company stands on a document; invoices from before there was a tax number have none. */
export type Party = Pick<CompanyRecord, CompanyField> & Partial<Pick<CompanyRecord, 'tax_number'>>

/** Of an invoice, as it was frozen. */
export interface Frozen {
  invoice_no: string
  issued: string
  seller: Party
  buyer: Party | null
  service: { code: string; name: string }
  pay_amount: string
  payment: { gateway: string; reference: string; paid: string }
}

/** For whom it is printed, and when. */
export interface Occasion {
  seller: Party
  buyer: Party
  reader: Reader
  time: string
  /** The business time zone, of all dates and times. */
  zone: string
  nonce: string
}

interface Document {
  /** What it is. */
  title: string
  number: string
  /** Names what it is about, in the name of the PDF. */
  about: string
  /** Said at its head: that it is not paid, or no longer valid. */
  mark?: { word: string; text: string } | null
  body: Part[]
}

export function printed(
  { seller, buyer, reader, time, zone, nonce }: Occasion,
  { title, number, about, mark, body }: Document,
): string {
  const say = printWords(reader.language)
  return sheet({
    language: reader.language,
    nonce,
    title: `${title} ${number} · ${about}`,
    foot: `${title} ${number} · ${buyer.name}`,
    body: html`<header class="head">
<div><p class="product" lang="${languageOf(seller.name)}">${seller.name}</p><h1>${title}</h1></div>
<p class="number">${number}</p>
</header>
${mark && html`<p class="mark"><strong>${mark.word}</strong>${mark.text}</p>`}
<div class="parties">${party(say, say('seller'), seller)}${party(say, say('buyer'), buyer)}</div>
${body}
<p class="printed">${say('printed', { time, name: reader.name })} · ${say('zone', { zone })}</p>`,
  })
}

function party(say: Translate, role: string, { name, code, ...of }: Party): Markup {
  // The smaller first, as in the lines above it; a city that is a country stands there once.
  const place = [of.city, of.province, of.country && say(`country.${of.country}`)]
  const lines = [of.addr1, of.addr2, of.addr3, [...new Set(place.filter(Boolean))].join(', ')].filter(Boolean)
  return html`<section><h2>${role}</h2>
<p class="party"><strong lang="${languageOf(name)}">${name}</strong>${lines.map((line) => html`<br>${line}`)}</p>
${list([
  [say('companyCode'), code],
  [say('taxNumber'), of.tax_number],
  [say('tel'), of.tel],
  [say('email'), of.email],
  [say('website'), of.website],
])}</section>`
}

export type Fact = [label: string, value: Part]

/** One on a line. What is not known is left out. */
export const list = (all: Fact[]): Markup =>
  html`<dl>${all
    .filter(([, value]) => (value ?? '') !== '')
    .map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

/** Two on a line: short ones. */
export const facts = (all: Fact[]): Markup => html`<div class="two">${list(all)}</div>`

/** `end` is exclusive; people read the last day (D18). */
export const daysOf = (say: Translate, from: PlainDate, end: PlainDate) => say('days', { from, to: lastDay(end) })

export const paymentOf = (say: Translate, { invoice_no: number, issued, payment }: Frozen): Markup =>
  facts([
    [say('fact.invoice'), number],
    [say('fact.issued'), issued],
    [say('fact.paid'), payment.paid],
    [say('fact.gateway'), say(`gateway.${payment.gateway}`) || payment.gateway],
    [say('fact.reference'), payment.reference],
  ])

/** Sums stand out from what they are made of. */
const sums: readonly Step['code'][] = ['sum', 'total', 'annual', 'contract', 'residual']

/** The last of those that come to the same stands out alone. */
const isSum = ({ code, amount }: Step, next: Step | undefined) =>
  sums.includes(code) && !(next && sums.includes(next.code) && next.amount === amount)

/** `names`: of modules, by code. */
export function stepsTable(
  say: Translate,
  currency: Currency,
  steps: readonly Step[],
  names: ReadonlyMap<string, string> = new Map(),
): Markup {
  const rows = steps.map(
    (step, at) => html`<tr${isSum(step, steps[at + 1]) && html` class="sum"`}>
<td>${stepWords(say, step, names)}</td><td class="amount">${grouped(step.amount)}</td></tr>`,
  )
  return html`<h2>${say('why')}</h2>
<table>
<thead><tr><th>${say('item')}</th><th class="amount">${say('amount', { currency })}</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
}

const amounts = ['price', 'of', 'bound', 'minimum', 'annual', 'gb'] as const
/** Steps that are told with their days. */
const stretches: readonly Step['code'][] = ['years', 'months', 'segment', 'paid']

function stepWords(say: Translate, { code, values }: Step, names: ReadonlyMap<string, string>): string {
  const { from, to, days: count } = values
  const said = {
    ...values,
    ...Object.fromEntries(amounts.flatMap((name) => (values[name] ? [[name, grouped(values[name])]] : []))),
    ...(stretches.includes(code) && from && to ? { days: daysOf(say, from, to) } : {}),
    ...(count ? { count } : {}),
    name: names.get(values['code'] ?? '') ?? values['code'] ?? '',
  }
  if (code === 'uat') return say(`step.uat.${values['reading'] ?? 'floor'}`, said)
  if (code === 'segment' || code === 'paid') {
    const form = count && values['years'] ? 'capped' : count ? 'days' : 'years'
    return say(`step.${code}.${form}`, said)
  }
  return say(`step.${code}`, said)
}

interface Sum {
  currency: Currency
  /** What the whole is made of, where that is more than one. */
  parts: [label: string, amount: string][]
  whole: string
  /** Null: nothing was. */
  paid: string | null
}

/** What is taken off has its sign before all of it. */
const signed = (currency: Currency, amount: string) =>
  amount.startsWith('-') ? `−${currency} ${grouped(amount.slice(1))}` : `${currency} ${grouped(amount)}`

export function totals(say: Translate, { currency, parts, whole, paid }: Sum): Markup {
  const line = (label: string, value: string, look: string) =>
    html`<tr class="${look}"><th scope="row">${label}</th><td class="amount">${signed(currency, value)}</td></tr>`
  return html`<table class="totals"><tbody>
${parts.map(([label, value]) => line(label, value, 'part'))}
${line(say('total.amount'), whole, 'whole')}
${currency === 'RMB' && html`<tr class="capitals"><th scope="row">${say('capitals')}</th><td>${inCapitals(readAmount(whole))}</td></tr>`}
${paid !== null && line(say('total.paid'), paid, 'part')}
</tbody></table>`
}
