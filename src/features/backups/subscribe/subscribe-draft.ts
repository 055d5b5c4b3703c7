import { backupTypes, type PdbType } from '#contract/backups.ts'
import {
  type BackupPrice,
  type SubscriptionBounds,
  quoteBackup,
  type SubscriptionTerms,
} from '#features/backups/backup-quote.ts'

/** Typed values of the form. Numbers are stored as text. */
export interface SubscribeDraft {
  type: PdbType
  period: string
  unit: SubscriptionTerms['unit']
  /** The amount to pay at the last change; null if it could not be calculated. If the amount differs now, both are shown. */
  seen: string | null
}

const getQuotedAmount = (draft: SubscribeDraft, price: BackupPrice, bounds: SubscriptionBounds): string | null => {
  const terms = parseTerms(draft)
  return (terms && quoteBackup(price, bounds, terms)?.pay_amount) ?? null
}

export const addSeenAmount = (
  draft: SubscribeDraft,
  price: BackupPrice,
  bounds: SubscriptionBounds,
): SubscribeDraft => ({
  ...draft,
  seen: getQuotedAmount(draft, price, bounds),
})

export const createDraft = (type: PdbType, price: BackupPrice, bounds: SubscriptionBounds): SubscribeDraft =>
  addSeenAmount({ type, period: '1', unit: 'year', seen: null }, price, bounds)

/** Returns null if there is no draft that this build can read. */
export function parseStoredDraft(storedValue: unknown): SubscribeDraft | null {
  const { type, period, unit, seen } = (storedValue ?? {}) as Partial<Record<keyof SubscribeDraft, unknown>>
  const backupType = backupTypes.find((candidate) => candidate === type)
  if (!backupType || typeof period !== 'string') return null
  return {
    type: backupType,
    period: period.slice(0, 9),
    unit: unit === 'month' ? 'month' : 'year',
    seen: typeof seen === 'string' ? seen : null,
  }
}

/** Limits of the period, in its unit: years or months (contracts 5). */
const periodLimits = { min: 1, max: 99 }

/** Returns null if the period is not valid. */
export function parseTerms({ period, unit }: SubscribeDraft): SubscriptionTerms | null {
  const years = /^\d{1,9}$/.test(period.trim()) ? Number(period) : 0
  return years >= periodLimits.min && years <= periodLimits.max ? { period: years, unit } : null
}
