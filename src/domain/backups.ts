/** Backup subscriptions and backups: how they stand, and what may be done (contracts 4, D21, D31). */
import type { BoughtPeriod } from '#domain/plain-dates.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'

export type BackupType = 'pdb2s3' | 'pdb2rds'

/** Contracts 4. */
export type BackupTag = 'none' | 'effective' | 'expired' | 'traffic_disabled'

/** What of a service's row says how its subscriptions stand. Ends are exclusive; null: never subscribed. */
export interface BackupSubscriptions {
  pdb2s3_date: PlainDate | null
  pdb2rds_date: PlainDate | null
  traffic_disabled: boolean
}

/** `today` in the business time zone. Suspended traffic is of what causes traffic, and of a subscription in effect. */
export function getBackupTag(type: BackupType, service: BackupSubscriptions, today: PlainDate): BackupTag {
  const end = service[`${type}_date`]
  if (end === null) return 'none'
  if (end <= today) return 'expired'
  return type === 'pdb2s3' && service.traffic_disabled ? 'traffic_disabled' : 'effective'
}

interface AnchoredSubscription {
  /** Exclusive (D18). */
  period_end: PlainDate
  anchor_date?: PlainDate | null
  anchor_months?: number | null
}

/** What the next subscription of its kind follows. */
export const toBoughtPeriod = ({
  period_end: end,
  anchor_date: date,
  anchor_months: months,
}: AnchoredSubscription): BoughtPeriod => ({
  end,
  anchor: date != null && months != null ? { date, months } : null,
})

/** -1 invalid, 0 unpaid, 1 paid: one that was not paid in time is invalid, whether or not that was written down (D31). */
export const getBackupOrderStatus = (storedStatus: -1 | 0 | 1, dueTime: Timestamp, now: Timestamp): -1 | 0 | 1 =>
  storedStatus === 0 && now > dueTime ? -1 : storedStatus

/** The state of an order of backups at a moment, in the words of contracts. `period_end`: exclusive (D18). */
export function getBackupState(
  { status: storedStatus, due, period_end: end }: { status: -1 | 0 | 1; due: Timestamp; period_end: PlainDate },
  now: Timestamp,
): 'invalid' | 'unpaid' | 'effective' | 'expired' {
  const status = getBackupOrderStatus(storedStatus, due, now)
  if (status === 1) return now.slice(0, 10) >= end ? 'expired' : 'effective'
  return status === 0 ? 'unpaid' : 'invalid'
}

/**
 * Why a service cannot be subscribed. `extendFirst`: its contract is over; `coveredToEnd`: the present subscription goes on until the
 * contract ends (D21); `noPrice`: the list in force has no prices of backups; `amountTooLarge`: more than an amount can say.
 */
export const backupOrderRefusals = ['noContract', 'extendFirst', 'coveredToEnd', 'noPrice', 'amountTooLarge'] as const
export type BackupOrderRefusal = (typeof backupOrderRefusals)[number]

/** Words stand in `locales/en/backups.json`. */
export type BackupRefusal = 'not_subscribed' | 'expired' | 'traffic_disabled' | 'not_created'

/** Why it is not backed up, by the clock or by a person; null: it is. */
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
 * Why a backup cannot be put into a service; null: it can. `target`: the service that takes it in, which has a contract in effect and a
 * system. `source`: of the service that the backup is of: archives of one whose traffic is suspended stay where they are.
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
