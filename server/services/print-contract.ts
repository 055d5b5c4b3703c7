/** A contract on paper: between whom, about what, how its amount is made up, and what was paid for it (contracts 2, 9). */
import type { Selectable } from 'kysely'
import { inCapitals } from '#domain/capital-numerals.ts'
import type { CompanyField } from '#domain/companies.ts'
import type { ContractState } from '#domain/contracts.ts'
import type { Step } from '#domain/fees/explain.ts'
import { grouped, readAmount } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import type { CompanyRecord } from '#server/db/companies.ts'
import type { ContractRecord } from '#server/db/contracts.ts'
import type { OrderTable } from '#server/db/order-tables.ts'
import type { Reader } from '#server/db/prints.ts'
import { html, type Markup, type Part } from '#server/markup.ts'
import { printWords, sheet } from '#server/services/print-page.ts'
import type { Say } from '#server/words.ts'

/** As a company stands on a document; invoices from before there was a tax number have none. */
export type Party = Pick<CompanyRecord, CompanyField> & Partial<Pick<CompanyRecord, 'tax_number'>>

/** Of an invoice, as it was frozen. */
export interface Frozen {
  invoice_no: string
  issued: string
  seller: Party
  buyer: Party | null
  pay_amount: string
  payment: { gateway: string; reference: string; paid: string }
}

export interface Printed {
  contract: ContractRecord
  order: Pick<Selectable<OrderTable>, 'name' | 'description' | 'steps'>
  invoice: Frozen | null
  modules: Map<string, string>
  seller: Party
  buyer: Party
  state: ContractState
  ordered: string
  reader: Reader
  time: string
  nonce: string
}

export function printContract(printed: Printed): string {
  const { contract, order, invoice, reader, seller, buyer, time, nonce } = printed
  const say = printWords(reader.language)
  const body = html`<header class="head">
<div><p class="product">${seller.name}</p><h1>${say('contract')}</h1></div>
<p class="number">${contract.code}</p>
</header>
<div class="parties">${party(say, say('seller'), seller)}${party(say, say('buyer'), buyer)}</div>
<h2>${say('subject')}</h2>
<div class="two">${facts(factsOf(printed, say))}</div>
<h2>${say('modules')}</h2>
${modulesTable(printed, say)}
<h2>${say('why')}</h2>
${stepsTable(printed, say)}
${totals(printed, say)}
${invoice && html`<div class="two">${facts(paymentOf(invoice, say))}</div>`}
<p class="printed">${say('printed', { time, name: reader.name })}</p>`
  const title = `${say('contract')} ${contract.code} · ${order.name}`
  return sheet({ language: reader.language, nonce, title, foot: `${contract.code} · ${buyer.name}`, body })
}

function party(say: Say, role: string, { name, code, ...of }: Party): Markup {
  // The smaller first, as in the lines above it; a city that is a country stands there once.
  const place = [of.city, of.province, of.country && say(`country.${of.country}`)]
  const lines = [of.addr1, of.addr2, of.addr3, [...new Set(place.filter(Boolean))].join(', ')].filter(Boolean)
  return html`<section><h2>${role}</h2>
<p class="party"><strong>${name}</strong>${lines.map((line) => html`<br>${line}`)}</p>
${facts([
  [say('companyCode'), code],
  [say('taxNumber'), of.tax_number],
  [say('tel'), of.tel],
  [say('email'), of.email],
  [say('website'), of.website],
])}</section>`
}

type Fact = [label: string, value: Part]

/** What is not known is left out. */
const facts = (all: Fact[]): Markup =>
  html`<dl>${all
    .filter(([, value]) => (value ?? '') !== '')
    .map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

function factsOf({ contract, order, state, ordered }: Printed, say: Say): Fact[] {
  const days = daysOf(say, contract.period_start, contract.period_end)
  const years = String(contract.period)
  // A change keeps the end of what it changes: its years are not its own.
  const period = contract.type === 'change' ? days : say(years === '1' ? 'years.one' : 'years.more', { days, years })
  return [
    [say('fact.number'), contract.code],
    [say('fact.status'), say(`status.${state}`)],
    [say('fact.type'), say(`type.${contract.type}`)],
    [say('fact.service'), contract.service_code],
    [say('fact.name'), order.name],
    [say('fact.desc'), order.description],
    [say('fact.period'), period],
    [say('fact.users'), say(`mode.${contract.user_mode}`, { users: String(contract.users) })],
    [say('fact.uat'), say(contract.uat === 1 ? 'yes' : 'no')],
    [say('fact.ordered'), ordered],
  ]
}

/** `end` is exclusive; people read the last day (D18). */
const daysOf = (say: Say, from: string, end: string) => say('days', { from, to: lastDay(end) })

const paymentOf = ({ invoice_no: number, issued, payment }: Frozen, say: Say): Fact[] => [
  [say('fact.invoice'), number],
  [say('fact.issued'), issued],
  [say('fact.paid'), payment.paid],
  [say('fact.gateway'), say(`gateway.${payment.gateway}`) || payment.gateway],
  [say('fact.reference'), payment.reference],
]

const modulesTable = ({ contract, modules }: Printed, say: Say): Markup => html`<table>
<thead><tr><th>${say('code')}</th><th>${say('fact.name')}</th></tr></thead>
<tbody>${contract.modules.map((code) => html`<tr><td>${code}</td><td>${modules.get(code) ?? code}</td></tr>`)}</tbody>
</table>`

/** Sums stand out from what they are made of. */
const sums: readonly Step['code'][] = ['sum', 'total', 'annual', 'contract', 'residual']

function stepsTable({ contract, order, modules }: Printed, say: Say): Markup {
  const rows = order.steps.map(
    (step) => html`<tr${sums.includes(step.code) && html` class="sum"`}>
<td>${stepWords(step, modules, say)}</td><td class="amount">${grouped(step.amount)}</td></tr>`,
  )
  return html`<table>
<thead><tr><th>${say('item')}</th><th class="amount">${say('amount', { currency: contract.currency })}</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
}

const amounts = ['price', 'of', 'bound', 'minimum', 'annual'] as const

function stepWords({ code, values }: Step, modules: Map<string, string>, say: Say): string {
  const { from, to, days: count } = values
  const isStretch = code === 'years' || code === 'segment' || code === 'paid'
  const said = {
    ...values,
    ...Object.fromEntries(amounts.flatMap((name) => (values[name] ? [[name, grouped(values[name])]] : []))),
    ...(isStretch && from && to ? { days: daysOf(say, from, to) } : {}),
    ...(count ? { count } : {}),
    name: modules.get(values['code'] ?? '') ?? values['code'] ?? '',
  }
  if (code === 'uat') return say(`step.uat.${values['reading'] ?? 'floor'}`, said)
  if (code === 'segment' || code === 'paid') return say(`step.${code}.${count ? 'days' : 'years'}`, said)
  return say(`step.${code}`, said)
}

function totals({ contract, invoice }: Printed, say: Say): Markup {
  const { currency, contract_amount: whole, residual_amount: residual, amount } = contract
  const line = (name: string, value: string, look: string) =>
    html`<tr class="${look}"><th scope="row">${say(`total.${name}`)}</th><td class="amount">${currency} ${grouped(value)}</td></tr>`
  const isReduced = readAmount(residual) > 0n
  return html`<table class="totals"><tbody>
${isReduced && line('contract', whole, 'part')}
${isReduced && line('residual', `-${residual}`, 'part')}
${line('amount', amount, 'whole')}
${currency === 'RMB' && html`<tr class="capitals"><th scope="row">${say('capitals')}</th><td>${inCapitals(readAmount(amount))}</td></tr>`}
${invoice && line('paid', invoice.pay_amount, 'part')}
</tbody></table>`
}
