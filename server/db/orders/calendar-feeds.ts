/** Secret addresses of calendars: one a user, of which only the hash is kept. */
import { createHash } from 'node:crypto'
import type { Handle } from '#server/db/handle.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

interface Feed {
  userId: number
  companyId: number
  key: string
}

/** The former one ends. */
export async function putFeed(db: Handle, { userId, companyId, key }: Feed, now: number): Promise<void> {
  const set = { hash: hashOf(key), create_time: now }
  await db
    .insertInto('calendar_feed')
    .values({ user_id: userId, company_id: companyId, ...set })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(set))
    .execute()
}

export async function endFeed(db: Handle, userId: number): Promise<void> {
  await db.deleteFrom('calendar_feed').where('user_id', '=', userId).execute()
}

/** Since when there is one, epoch ms; null: there is none. */
export async function feedSince(db: Handle, userId: number): Promise<number | null> {
  const row = await db
    .selectFrom('calendar_feed')
    .select('create_time')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.create_time ?? null
}

export async function feedBy(db: Handle, key: string): Promise<{ user_id: number; company_id: number } | null> {
  const row = await db
    .selectFrom('calendar_feed')
    .select(['user_id', 'company_id'])
    .where('hash', '=', hashOf(key))
    .executeTakeFirst()
  return row ?? null
}
