/** Backup orders that can no longer be paid, as `getBackupOrderStatus` has it; tests compare the two. */
import { sql } from 'kysely'
import type { PlainDate } from '#domain/time.ts'

/** What was ordered before that instant, or ends by that day, and is not paid cannot be paid any more (D31, decision 62). */
export interface ExpiryBounds {
  createdBefore: number
  today: PlainDate
}

export const isBackupExpired = ({ createdBefore, today }: ExpiryBounds) => sql<boolean>`
  (backup_order.status = 0 and (backup_order.create_time < ${createdBefore} or backup_order.period_end <= ${today}))`
