/** Secret addresses of calendars: one a user, of which only the hash is kept. */
import { createHash } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'

const hashFeedKey = (key: string) => createHash('sha256').update(key).digest('hex')

interface CalendarFeed {
  userId: number
  companyId: number
  key: string
}

/** The former one ends. */
export async function storeCalendarFeed(db: DatabaseHandle, { userId, companyId, key }: CalendarFeed, now: number) {
  const values = { hash: hashFeedKey(key), create_time: now }
  await db
    .insertInto('calendar_feed')
    .values({ user_id: userId, company_id: companyId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute()
}

export async function deleteCalendarFeed(db: DatabaseHandle, userId: number): Promise<void> {
  await db.deleteFrom('calendar_feed').where('user_id', '=', userId).execute()
}

/** Since when there is one, epoch ms; null: there is none. */
export async function readCalendarFeedTime(db: DatabaseHandle, userId: number): Promise<number | null> {
  const row = await db
    .selectFrom('calendar_feed')
    .select('create_time')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.create_time ?? null
}

export const findCalendarFeed = (db: DatabaseHandle, key: string) =>
  findRow(db.selectFrom('calendar_feed').select(['user_id', 'company_id']).where('hash', '=', hashFeedKey(key)))
