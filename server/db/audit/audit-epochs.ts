/** How often the database was restored from a copy: since then logs may lack entries that they had (facts of the installation). */
import type { Handle } from '#server/db/handle.ts'
import { setFactOnce } from '#server/db/installation.ts'

const prefix = 'audit epoch '

export async function epochOf(db: Handle): Promise<number> {
  const { count } = await db
    .selectFrom('fact')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', 'like', `${prefix}%`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** False: somebody else began it. */
export const markEpoch = (db: Handle, epoch: number, now: number): Promise<boolean> =>
  setFactOnce(db, `${prefix}${epoch}`, String(now))
