/** A subscription as it stands in its form, and what an earlier page or build kept of one. */
import { backupTypes, type BackupType } from '#contract/backups.ts'
import { type BackupPrice, type Bounds, quoteBackup, type Terms } from '#features/backups/backup-quote.ts'

/** Numbers that are being typed are text. */
export interface SubscribeDraft {
  type: BackupType
  period: string
  unit: Terms['unit']
  /** What stood there to be paid as it was last typed: another amount by now is shown beside it. Null: none was known. */
  seen: string | null
}

const amountOf = (draft: SubscribeDraft, price: BackupPrice, bounds: Bounds): string | null => {
  const terms = termsOf(draft)
  return (terms && quoteBackup(price, bounds, terms)?.pay_amount) ?? null
}

/** As it is seen with what it costs now. */
export const seenDraft = (draft: SubscribeDraft, price: BackupPrice, bounds: Bounds): SubscribeDraft => ({
  ...draft,
  seen: amountOf(draft, price, bounds),
})

/** One year, as most people take it. */
export const startedDraft = (type: BackupType, price: BackupPrice, bounds: Bounds): SubscribeDraft =>
  seenDraft({ type, period: '1', unit: 'year', seen: null }, price, bounds)

/** Null: nothing was kept that this build knows. */
export function storedDraft(kept: unknown): SubscribeDraft | null {
  const { type, period, unit, seen } = (kept ?? {}) as Partial<Record<keyof SubscribeDraft, unknown>>
  const known = backupTypes.find((one) => one === type)
  if (!known || typeof period !== 'string') return null
  return {
    type: known,
    period: period.slice(0, 9),
    unit: unit === 'month' ? 'month' : 'year',
    seen: typeof seen === 'string' ? seen : null,
  }
}

/** contracts 5 */
const limits = { least: 1, most: 99 }

/** Null: the period is none. */
export function termsOf({ period, unit }: SubscribeDraft): Terms | null {
  const number = /^\d{1,9}$/.test(period.trim()) ? Number(period) : 0
  return number >= limits.least && number <= limits.most ? { period: number, unit } : null
}
