/** Backup orders that may need a reminder, and the reminders that were sent. Needs the system role. */
import type { Selectable } from 'kysely'
import { type ContractReminder, maxReminderDays } from '#domain/contracts.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import type { BackupOrderTable } from '#server/db/tables/backup-tables.ts'

type RemindableBackup = Pick<
  Selectable<BackupOrderTable>,
  'id' | 'company_id' | 'service_id' | 'pdb_type' | 'status' | 'period_end' | 'create_time'
>

/** Maximum number of days that the server may be down without losing a reminder. */
const maxMissedDays = 7

export const listRemindableBackups = (
  db: DatabaseHandle,
  { today, payableSince }: Moment,
  afterId: number,
  limit: number,
) =>
  db
    .selectFrom('backup_order')
    .select(['id', 'company_id', 'service_id', 'pdb_type', 'status', 'period_end', 'create_time'])
    .where('id', '>', afterId)
    .where((where) =>
      where.or([
        where.and([where('status', '=', 0), where('create_time', '>=', payableSince), where('period_end', '>', today)]),
        where.and([
          where('status', '=', 1),
          where('period_end', '>=', addDays(today, -(maxReminderDays.afterExpiry + maxMissedDays))),
          where('period_end', '<=', addDays(today, maxReminderDays.beforeExpiry + 1)),
        ]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

export const isExtendedBackup = (
  db: DatabaseHandle,
  { service_id, pdb_type, period_end }: Pick<RemindableBackup, 'service_id' | 'pdb_type' | 'period_end'>,
) =>
  hasRow(
    db
      .selectFrom('backup_order')
      .select('id')
      .where(hasValues({ service_id, pdb_type, status: 1 }))
      .where('period_end', '>', period_end)
      .limit(1),
  )

/** Records the reminder. Returns false if it was recorded before, so each reminder is sent only once. */
export const claimBackupReminder = (
  db: DatabaseHandle,
  { id, company_id }: Pick<RemindableBackup, 'id' | 'company_id'>,
  { kind, days }: ContractReminder,
  time: number,
) =>
  hasRow(
    db
      .insertInto('backup_reminder')
      .values({ backup_order_id: id, about: kind, days, company_id, time })
      .onConflict((conflict) => conflict.doNothing())
      .returning('backup_order_id'),
  )
