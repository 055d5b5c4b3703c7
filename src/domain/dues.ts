/** What is to be paid for a service: its order, change or extension, its backups and their traffic. Every surface reads it from here. */
import type { BackupType } from '#domain/backups.ts'
import { dueOf, dueWithin } from '#domain/contracts.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { type Currency, currencies, readAmount, writeAmount } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import { compareTerms, describeTermChange, type TermChange } from '#domain/term-change.ts'
import { type PlainDate, type Timestamp, timestampIn } from '#domain/time.ts'
import type { Choice } from '#domain/fees/annual.ts'

export type DueType = 'create' | 'extend' | 'change' | BackupType | 'traffic'

export interface Due {
  /** As the payment call names it (D66). */
  contractType: 'CONTRACT' | 'PDBORDER' | 'TRAFFIC'
  id: number
  type: DueType
  currency: Currency
  amount: string
  /** The last second in which it is to be paid. Traffic can be paid later too. */
  due: Timestamp
  /** Of a change: what it changes. */
  change: TermChange | null
  /** Of an extension and of a backup: its last day. */
  until: PlainDate | null
  /** Of traffic, `yyyy-MM`. */
  month: string | null
}

interface UnpaidRow {
  id: number
  currency: Currency
  amount: string
  /** Exclusive (D18). */
  period_end: PlainDate
}

/** What the database stores of each. Epoch ms. */
export type UnpaidMatter =
  | (UnpaidRow & { type: 'create' | 'extend' | 'change'; due: Timestamp; after: Choice; before: Choice | null })
  | (UnpaidRow & { type: BackupType | 'traffic'; create_time: number })

export function toDue(matter: UnpaidMatter, zone: string): Due {
  const { id, type, currency, amount, period_end: end } = matter
  const due = { id, type, currency, amount, change: null, until: null, month: null }
  if ('due' in matter)
    return {
      ...due,
      contractType: 'CONTRACT',
      due: matter.due,
      change: type === 'change' && matter.before ? compareTerms(matter.before, matter.after) : null,
      until: type === 'extend' ? lastDay(end) : null,
    }
  const created = timestampIn(zone, matter.create_time)
  if (type === 'traffic') return { ...due, contractType: 'TRAFFIC', due: dueOf(created), month: monthOf(end) }
  return { ...due, contractType: 'PDBORDER', due: dueWithin(created, end), until: lastDay(end) }
}

/** Soonest first. */
export const inDueOrder = (dues: readonly Due[]): Due[] =>
  dues.toSorted((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : 0))

/** The sum in each currency that something is to be paid in. */
export const sumDues = (dues: readonly Pick<Due, 'currency' | 'amount'>[]): { currency: Currency; amount: string }[] =>
  currencies.flatMap((currency) => {
    const own = dues.filter((due) => due.currency === currency)
    const sum = own.reduce((all, { amount }) => all + readAmount(amount), 0n)
    return own.length === 0 ? [] : [{ currency, amount: writeAmount(sum) }]
  })

/** What it is that is to be paid. */
export interface DueMatter {
  type: DueType
  change?: TermChange | null | undefined
  until?: PlainDate | null | undefined
  month?: string | null | undefined
}

/** Keys of `locales/en/dues.json`. */
type DueTextKey = `matter.${DueType}` | 'changed' | 'separator' | ReturnType<typeof describeTermChange>[number]['key']

/** "Change (5 → 12 users)". `say` translates. */
export function describeDue(
  { type, change, until, month }: DueMatter,
  say: (key: DueTextKey, values: Record<string, string>) => string,
): string {
  const matter = say(`matter.${type}`, { until: until ?? '', month: month ?? '' })
  const phrases = change ? describeTermChange(change) : []
  if (phrases.length === 0) return matter
  const changes = phrases.map(({ key, values }) => say(key, values)).join(say('separator', {}))
  return say('changed', { matter, changes })
}
