/** How often the database was restored from a copy: since then logs may lack entries that they had (facts of the installation). */
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

/** False: somebody else began it. */
export const markEpoch = (db: DatabaseHandle, epoch: number, now: number): Promise<boolean> =>
  setFactOnce(db, `${factPrefix}${epoch}`, String(now))
