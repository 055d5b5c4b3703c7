/** Renders printed backup subscriptions and traffic (contracts 3, 9; D18 to D25). */
import { calculateExtraTraffic, getTrafficMonth } from '#domain/fees/traffic.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { addMonths, addYears } from '#domain/plain-dates.ts'
import type { BackupRecord, TrafficRecord } from '#server/db/hosting/backups.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'
import { formatDays } from '#server/use-cases/documents/fee-steps.ts'
import type { FrozenInvoice } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'
import {
  type PrintFact,
  renderFacts,
  renderList,
  type PrintContext,
  renderPayment,
  renderDocument,
  renderSteps,
  renderTotals,
} from '#server/use-cases/prints/document-parts.ts'
import type { TranslateText } from '#server/text/translator.ts'

interface PrintedRow<Row> {
  row: Row
  invoice: FrozenInvoice | null
  name: string
}

type PrintedState = 'invalid' | 'unpaid' | 'paid' | 'free'

export function printBackup(
  printContext: PrintContext,
  orderedTime: string,
  document: PrintedRow<BackupRecord>,
): string {
  const { row, invoice, name } = document
  const { currency, discount, amount, pay_amount: totalAmount, steps, id } = row
  const translate = createPrintTranslator(printContext.reader.language)
  const discountAmount = readAmount(totalAmount) - readAmount(amount)
  const partialAmounts: [string, string][] = [
    [translate('total.backup'), amount],
    [translate('total.discount', { percent: discount }), writeAmount(discountAmount)],
  ]
  const paidAmount = invoice?.pay_amount ?? null
  return renderDocument(printContext, {
    title: translate('backup'),
    number: translate('numbered', { id: String(id) }),
    subject: name,
    mark: getMark(translate, getBackupState(row)),
    body: [
      html`<h2>${translate('subject')}</h2>
${renderList([
  [translate('fact.backup'), translate(`backups.${row.pdb_type}`)],
  [translate('fact.period'), formatPeriod(row, translate)],
])}
${renderFacts(getBackupFacts(document, orderedTime, translate))}
${renderSteps(translate, currency, steps)}
${renderTotals(translate, { currency, partialAmounts: readAmount(discount) > 0n ? partialAmounts : [], totalAmount, paidAmount })}
${invoice && renderPayment(translate, invoice)}`,
    ],
  })
}

function getBackupState({ status, pay_amount }: BackupRecord): PrintedState {
  if (status === -1) return 'invalid'
  if (status === 0) return 'unpaid'
  return readAmount(pay_amount) > 0n ? 'paid' : 'free'
}

/** Returns a mark for a document that is unpaid or invalid, so that nobody takes it for an invoice, otherwise null. */
const getMark = (translate: TranslateText, state: PrintedState) =>
  state === 'invalid' || state === 'unpaid'
    ? { title: translate(`standing.${state}`), text: translate(`mark.${state}`) }
    : null

const getBackupFacts = (
  { row, name }: PrintedRow<BackupRecord>,
  orderedTime: string,
  translate: TranslateText,
): PrintFact[] => [
  [translate('fact.status'), translate(`standing.${getBackupState(row)}`)],
  [translate('fact.service'), row.service_code],
  [translate('fact.name'), name],
  [translate('fact.annual'), `${row.currency} ${groupThousands(row.annual)}`],
  [translate('fact.ordered'), orderedTime],
]

/**
 * Formats the period. If the contract ends earlier, the contract's end is shown (D21). Then there is no anchor, because no next period is
 * counted from it.
 */
function formatPeriod(
  { period_start, period_end, period, period_type, anchor_date }: BackupRecord,
  translate: TranslateText,
): string {
  const days = formatDays(translate, period_start, period_end)
  const requestedEnd = period_type === 'year' ? addYears(period_start, period) : addMonths(period_start, period)
  if (anchor_date === null && requestedEnd !== period_end) return translate('cut', { days })
  const pluralForm = period === 1 ? 'one' : 'more'
  const values = { days, years: String(period), months: String(period) }
  return period_type === 'year' ? translate(`years.${pluralForm}`, values) : translate(`months.${pluralForm}`, values)
}

export function printTraffic(printContext: PrintContext, document: PrintedRow<TrafficRecord>): string {
  const { row, invoice, name } = document
  const { currency, amount: totalAmount, pay_amount: paidAmount, steps, id } = row
  const translate = createPrintTranslator(printContext.reader.language)
  return renderDocument(printContext, {
    title: translate('traffic'),
    number: translate('numbered', { id: String(id) }),
    subject: `${getTrafficMonth(row.period_end)} · ${name}`,
    mark: getMark(translate, getTrafficState(row)),
    body: [
      html`<h2>${translate('subject')}</h2>
${renderFacts(getTrafficFacts(document, translate))}
${renderTrafficTable(row, translate)}
${renderSteps(translate, currency, steps)}
${renderTotals(translate, { currency, partialAmounts: [], totalAmount, paidAmount })}
${invoice ? renderPayment(translate, invoice) : renderFacts([[translate('fact.paid'), row.pay_date]])}`,
    ],
  })
}

function getTrafficState({ amount, pay_date }: TrafficRecord): PrintedState {
  if (pay_date !== null) return 'paid'
  return readAmount(amount) > 0n ? 'unpaid' : 'free'
}

const getTrafficFacts = ({ row, name }: PrintedRow<TrafficRecord>, translate: TranslateText): PrintFact[] => [
  [translate('fact.month'), getTrafficMonth(row.period_end)],
  [translate('fact.status'), translate(`standing.${getTrafficState(row)}`)],
  [translate('fact.service'), row.service_code],
  [translate('fact.name'), name],
  [translate('fact.price'), `${row.currency} ${groupThousands(row.price)}`],
]

function renderTrafficTable(
  { pdb_traffic: measuredTraffic, free: freeTraffic }: TrafficRecord,
  translate: TranslateText,
): HtmlMarkup {
  const renderRow = (label: string, value: string, attribute: HtmlMarkup | null) =>
    html`<tr${attribute}><td>${label}</td><td class="amount">${groupThousands(value)}</td></tr>`
  const chargedTraffic = writeAmount(calculateExtraTraffic(readAmount(measuredTraffic), readAmount(freeTraffic)))
  return html`<h2>${translate('gb.title')}</h2>
<table>
<thead><tr><th>${translate('item')}</th><th class="amount">GB</th></tr></thead>
<tbody>${renderRow(translate('gb.measured'), measuredTraffic, null)}${renderRow(translate('gb.free'), freeTraffic, null)}
${renderRow(translate('gb.charged'), chargedTraffic, html` class="sum"`)}</tbody>
</table>`
}
