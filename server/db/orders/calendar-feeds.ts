/** Rows of secret calendar addresses: at most one for each user, stored only as a hash. */
import { createHash } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'

const hashFeedKey = (key: string) => createHash('sha256').update(key).digest('hex')

interface CalendarFeed {
  userId: number
  companyId: number
  key: string
}

/** Stores the address and replaces the user's former one. */
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

/** Returns when the address was created, in epoch ms. Returns null if the user has no address. */
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
