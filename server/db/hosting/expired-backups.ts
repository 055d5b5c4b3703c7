/** Condition for backup orders that can no longer be paid. Tests compare it with `getBackupOrderStatus`. */
import { sql } from 'kysely'
import type { PlainDate } from '#domain/time.ts'

/**
 * An unpaid backup order expires if it was created before `createdBefore` (epoch ms), or if its exclusive end is `today` or earlier (D31,
 * decision 62).
 */
export interface ExpiryBounds {
  createdBefore: number
  today: PlainDate
}

export const isBackupExpired = ({ createdBefore, today }: ExpiryBounds) => sql<boolean>`
  (backup_order.status = 0 and (backup_order.create_time < ${createdBefore} or backup_order.period_end <= ${today}))`
