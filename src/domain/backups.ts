/** Backup subscriptions and backups: their states and the allowed actions (contracts 4, D21, D31). */
import type { BoughtPeriod } from '#domain/plain-dates.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export type BackupType = 'pdb2s3' | 'pdb2rds'

export type BackupTag = 'none' | 'effective' | 'expired' | 'traffic_disabled'

/** Fields that determine the state of subscriptions. End dates are exclusive; null if never subscribed. */
export interface BackupSubscriptions {
  pdb2s3_date: PlainDate | null
  pdb2rds_date: PlainDate | null
  traffic_disabled: boolean
}

/** `today` is in the business time zone. Only effective subscriptions that cause traffic can be suspended. */
export function getBackupTag(type: BackupType, service: BackupSubscriptions, today: PlainDate): BackupTag {
  const end = service[`${type}_date`]
  if (end === null) return 'none'
  if (end <= today) return 'expired'
  return type === 'pdb2s3' && service.traffic_disabled ? 'traffic_disabled' : 'effective'
}

interface AnchoredSubscription {
  /** Exclusive end date (D18). */
  period_end: PlainDate
  anchor_date?: PlainDate | null
  anchor_months?: number | null
}

export const toBoughtPeriod = ({
  period_end: end,
  anchor_date: date,
  anchor_months: months,
}: AnchoredSubscription): BoughtPeriod => ({
  end,
  anchor: date != null && months != null ? { date, months } : null,
})

/** -1 invalid, 0 unpaid, 1 paid. An overdue order is invalid even if it is stored as unpaid (D31). */
export const getBackupOrderStatus = (storedStatus: -1 | 0 | 1, dueTime: Timestamp, now: Timestamp): -1 | 0 | 1 =>
  storedStatus === 0 && now > dueTime ? -1 : storedStatus

/** State of a backup order at a given time, named as for contracts. `period_end` is exclusive (D18). */
export function getBackupState(
  { status: storedStatus, due, period_end: end }: { status: -1 | 0 | 1; due: Timestamp; period_end: PlainDate },
  now: Timestamp,
): 'invalid' | 'unpaid' | 'effective' | 'expired' {
  const status = getBackupOrderStatus(storedStatus, due, now)
  if (status === 1) return now.slice(0, 10) >= end ? 'expired' : 'effective'
  return status === 0 ? 'unpaid' : 'invalid'
}

/**
 * Reasons why a backup subscription cannot be ordered. `extendFirst`: the contract has expired. `coveredToEnd`: the current subscription
 * lasts until the end of the contract (D21). `noPrice`: the current price list has no backup prices. `amountTooLarge`: the amount exceeds
 * the maximum.
 */
export const backupOrderRefusals = ['noContract', 'extendFirst', 'coveredToEnd', 'noPrice', 'amountTooLarge'] as const
export type BackupOrderRefusal = (typeof backupOrderRefusals)[number]

/** Texts are in `locales/en/backups.json`. */
export type BackupRefusal = 'not_subscribed' | 'expired' | 'traffic_disabled' | 'not_created'

export function getBackupRefusal(
  type: BackupType,
  service: BackupSubscriptions & { system_status: number; erase_date: PlainDate | null },
  today: PlainDate,
): BackupRefusal | null {
  const tag = getBackupTag(type, service, today)
  if (tag === 'none') return 'not_subscribed'
  if (tag !== 'effective') return tag
  return service.system_status === 0 && service.erase_date === null ? 'not_created' : null
}

export type RestoreRefusal = 'no_contract' | 'expired' | 'not_created' | 'traffic_disabled' | 'not_done'

/**
 * Returns the reason why a backup cannot be restored, or null. `target` is the service to restore into; it needs a contract in effect and a
 * system. `source` is the service of the backup; its bucket archives cannot be restored while its traffic is suspended.
 */
export function getRestoreRefusal(
  backup: { pdb_type: BackupType; state: 'running' | 'done' | 'failed' | 'removed' },
  {
    source,
    target,
  }: {
    source: Pick<BackupSubscriptions, 'traffic_disabled'>
    target: { contract_id: number; status: number; system_status: number; is_expired: boolean }
  },
): RestoreRefusal | null {
  if (backup.state !== 'done') return 'not_done'
  if (backup.pdb_type === 'pdb2s3' && source.traffic_disabled) return 'traffic_disabled'
  if (target.contract_id === 0) return 'no_contract'
  if (target.status !== 1 || target.is_expired) return 'expired'
  return target.system_status === 0 ? 'not_created' : null
}
