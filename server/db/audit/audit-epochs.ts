/** Counts how often the database was restored from a copy. After a restore, logs may lack entries that they had before. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { setFactOnce } from '#server/db/installation-facts.ts'

const factPrefix = 'audit epoch '

export async function readEpoch(db: DatabaseHandle): Promise<number> {
  const { count } = await db
    .selectFrom('fact')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', 'like', `${factPrefix}%`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Records that an epoch has begun. Returns false if another process already recorded it. */
export const markEpoch = (db: DatabaseHandle, epoch: number, now: number): Promise<boolean> =>
  setFactOnce(db, `${factPrefix}${epoch}`, String(now))
