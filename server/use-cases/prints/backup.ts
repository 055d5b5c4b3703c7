/** Backups on paper: a subscription, and a month of its traffic (contracts 3, 9; D18 to D25). */
import { extraTraffic, monthOf } from '#domain/fees/traffic.ts'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { addMonths, addYears } from '#domain/period.ts'
import type { BackupRecord, TrafficRecord } from '#server/db/hosting/backups.ts'
import { html, type Markup } from '#server/text/html.ts'
import { printWords } from '#server/use-cases/prints/page.ts'
import {
  daysOf,
  type Fact,
  facts,
  type Frozen,
  list,
  type Occasion,
  paymentOf,
  printed,
  stepsTable,
  totals,
} from '#server/use-cases/prints/parts.ts'
import type { Translate } from '#server/text/i18n.ts'

interface Of<Row> {
  row: Row
  invoice: Frozen | null
  /** Of the service. */
  name: string
}

type State = 'invalid' | 'unpaid' | 'paid' | 'free'

export function printBackup(occasion: Occasion, ordered: string, document: Of<BackupRecord>): string {
  const { row, invoice, name } = document
  const { currency, discount, amount, pay_amount: whole, steps, id } = row
  const say = printWords(occasion.reader.language)
  const less = readAmount(whole) - readAmount(amount)
  const parts: [string, string][] = [
    [say('total.backup'), amount],
    [say('total.discount', { percent: discount }), writeAmount(less)],
  ]
  const paid = invoice?.pay_amount ?? null
  return printed(occasion, {
    title: say('backup'),
    number: say('numbered', { id: String(id) }),
    about: name,
    mark: markOf(say, backupState(row)),
    body: [
      html`<h2>${say('subject')}</h2>
${list([
  [say('fact.backup'), say(`backups.${row.pdb_type}`)],
  [say('fact.period'), periodOf(row, say)],
])}
${facts(backupFacts(document, ordered, say))}
${stepsTable(say, currency, steps)}
${totals(say, { currency, parts: readAmount(discount) > 0n ? parts : [], whole, paid })}
${invoice && paymentOf(say, invoice)}`,
    ],
  })
}

function backupState({ status, pay_amount }: BackupRecord): State {
  if (status === -1) return 'invalid'
  if (status === 0) return 'unpaid'
  return readAmount(pay_amount) > 0n ? 'paid' : 'free'
}

/** That nobody takes it for an invoice. */
const markOf = (say: Translate, state: State) =>
  state === 'invalid' || state === 'unpaid' ? { word: say(`standing.${state}`), text: say(`mark.${state}`) } : null

const backupFacts = ({ row, name }: Of<BackupRecord>, ordered: string, say: Translate): Fact[] => [
  [say('fact.status'), say(`standing.${backupState(row)}`)],
  [say('fact.service'), row.service_code],
  [say('fact.name'), name],
  [say('fact.annual'), `${row.currency} ${grouped(row.annual)}`],
  [say('fact.ordered'), ordered],
]

/** What was asked for; where the contract ends before that, the end is the contract's (D21), and nothing counts from it. */
function periodOf(
  { period_start, period_end, period, period_type, anchor_date }: BackupRecord,
  say: Translate,
): string {
  const days = daysOf(say, period_start, period_end)
  const wished = period_type === 'year' ? addYears(period_start, period) : addMonths(period_start, period)
  if (anchor_date === null && wished !== period_end) return say('cut', { days })
  const form = period === 1 ? 'one' : 'more'
  const count = { days, years: String(period), months: String(period) }
  return period_type === 'year' ? say(`years.${form}`, count) : say(`months.${form}`, count)
}

export function printTraffic(occasion: Occasion, document: Of<TrafficRecord>): string {
  const { row, invoice, name } = document
  const { currency, amount: whole, pay_amount: paid, steps, id } = row
  const say = printWords(occasion.reader.language)
  return printed(occasion, {
    title: say('traffic'),
    number: say('numbered', { id: String(id) }),
    about: `${monthOf(row.period_end)} · ${name}`,
    mark: markOf(say, trafficState(row)),
    body: [
      html`<h2>${say('subject')}</h2>
${facts(trafficFacts(document, say))}
${trafficTable(row, say)}
${stepsTable(say, currency, steps)}
${totals(say, { currency, parts: [], whole, paid })}
${invoice ? paymentOf(say, invoice) : facts([[say('fact.paid'), row.pay_date]])}`,
    ],
  })
}

function trafficState({ amount, pay_date }: TrafficRecord): State {
  if (pay_date !== null) return 'paid'
  return readAmount(amount) > 0n ? 'unpaid' : 'free'
}

const trafficFacts = ({ row, name }: Of<TrafficRecord>, say: Translate): Fact[] => [
  [say('fact.month'), monthOf(row.period_end)],
  [say('fact.status'), say(`standing.${trafficState(row)}`)],
  [say('fact.service'), row.service_code],
  [say('fact.name'), name],
  [say('fact.price'), `${row.currency} ${grouped(row.price)}`],
]

function trafficTable({ pdb_traffic: measured, free }: TrafficRecord, say: Translate): Markup {
  const line = (label: string, value: string, look: Markup | null) =>
    html`<tr${look}><td>${label}</td><td class="amount">${grouped(value)}</td></tr>`
  const charged = writeAmount(extraTraffic(readAmount(measured), readAmount(free)))
  return html`<h2>${say('gb.title')}</h2>
<table>
<thead><tr><th>${say('item')}</th><th class="amount">GB</th></tr></thead>
<tbody>${line(say('gb.measured'), measured, null)}${line(say('gb.free'), free, null)}
${line(say('gb.charged'), charged, html` class="sum"`)}</tbody>
</table>`
}
