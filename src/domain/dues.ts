/** Open payments of a service: order, change or extension, backups and traffic. Used by pages and mails. */
import type { BackupType } from '#domain/backups.ts'
import { getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { type Currency, currencies, readAmount, writeAmount } from '#domain/money.ts'
import { countDaysLeft, getLastDay } from '#domain/plain-dates.ts'
import { compareTerms, describeTermChange, type TermChange } from '#domain/term-change.ts'
import { type PlainDate, type Timestamp, toTimestamp } from '#domain/time.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'

export type DueType = 'create' | 'extend' | 'change' | BackupType | 'traffic'

export interface PaymentDue {
  /** Contract type of the payment call (D66). */
  contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC'
  id: number
  type: DueType
  currency: Currency
  amount: string
  /** The last second of the payment deadline. Traffic can still be paid after it. */
  due: Timestamp
  change: TermChange | null
  /** For an extension or a backup: its last day. */
  until: PlainDate | null
  /** For traffic: `yyyy-MM`. */
  month: string | null
}

interface UnpaidRowFields {
  id: number
  currency: Currency
  amount: string
  /** Exclusive end date (D18). */
  period_end: PlainDate
}

/** Stored data of an unpaid item. Times in epoch ms. */
export type UnpaidRow =
  | (UnpaidRowFields & {
      type: 'create' | 'extend' | 'change'
      due: Timestamp
      nextTerms: ContractTerms
      previousTerms: ContractTerms | null
    })
  | (UnpaidRowFields & { type: BackupType | 'traffic'; create_time: number })

export function toDue(row: UnpaidRow, zone: string): PaymentDue {
  const { id, type, currency, amount, period_end: end } = row
  const commonFields = { id, type, currency, amount, change: null, until: null, month: null }
  if ('due' in row)
    return {
      ...commonFields,
      contractType: 'CONTRACT',
      due: row.due,
      change: type === 'change' && row.previousTerms ? compareTerms(row.previousTerms, row.nextTerms) : null,
      until: type === 'extend' ? getLastDay(end) : null,
    }
  const created = toTimestamp(zone, row.create_time)
  if (type === 'traffic')
    return { ...commonFields, contractType: 'TRAFFIC', due: getDueTime(created), month: getTrafficMonth(end) }
  return { ...commonFields, contractType: 'PDBORDER', due: getDueTimeWithin(created, end), until: getLastDay(end) }
}

/**
 * Returns the days from `today` to the last day of payment, negative after it. Null if the item can no longer be paid: rows of a device may
 * be old. Traffic stays due until it is paid.
 */
export function countPayableDays(
  { contractType, due }: Pick<PaymentDue, 'contractType' | 'due'>,
  today: PlainDate,
): number | null {
  const date = due.slice(0, 10)
  if (date === '') return null
  const days = countDaysLeft(today, date)
  return days < 0 && contractType !== 'TRAFFIC' ? null : days
}

export const sortDues = (dues: readonly PaymentDue[]): PaymentDue[] =>
  dues.toSorted((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : 0))

export const sumDues = (
  dues: readonly Pick<PaymentDue, 'currency' | 'amount'>[],
): { currency: Currency; amount: string }[] =>
  currencies.flatMap((currency) => {
    const currencyDues = dues.filter((due) => due.currency === currency)
    const sum = currencyDues.reduce((total, { amount }) => total + readAmount(amount), 0n)
    return currencyDues.length === 0 ? [] : [{ currency, amount: writeAmount(sum) }]
  })

export interface DueSubject {
  type: DueType
  change?: TermChange | null | undefined
  until?: PlainDate | null | undefined
  month?: string | null | undefined
}

/** Keys of `locales/en/dues.json`. */
type DueTextKey =
  | `matter.${DueType}`
  | `subject.${DueType}`
  | 'changed'
  | 'separator'
  | ReturnType<typeof describeTermChange>[number]['key']

type TranslateDue = (key: DueTextKey, values: Record<string, string>) => string

/** "Change (5 → 12 users)", for places that name the service elsewhere. */
export const describeDue = (due: DueSubject, translate: TranslateDue): string =>
  describe(due, translate(`matter.${due.type}`, getDueValues(due)), translate)

/** "RDS backup of 环球贸易", for lists over several services. */
export const describeNamedDue = (due: DueSubject, name: string, translate: TranslateDue): string =>
  describe(due, translate(`subject.${due.type}`, { ...getDueValues(due), name }), translate)

const getDueValues = ({ until, month }: DueSubject) => ({ until: until ?? '', month: month ?? '' })

function describe({ change }: DueSubject, subject: string, translate: TranslateDue): string {
  const phrases = change ? describeTermChange(change) : []
  if (phrases.length === 0) return subject
  const changesText = phrases.map(({ key, values }) => translate(key, values)).join(translate('separator', {}))
  return translate('changed', { matter: subject, changes: changesText })
}
