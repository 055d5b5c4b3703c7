/** The session's generation in each user's database: open or closed. A response is stored only in the generation it was
 * asked for. */
import { isOutdated, type UserDatabase } from '#local/storage/database.ts'
import type { SessionGeneration } from '#local/storage/records.ts'

/** The gate's generation, to be compared when the answer comes; null: closed, nothing may be stored. */
export const readSessionGeneration = async (db: UserDatabase): Promise<number | null> =>
  getOpenGeneration(await db.meta.get('session-generation'))

/** The same of what was read. */
export const getOpenGeneration = (record: { name: string } | undefined): number | null => {
  const { open, generation } =
    record?.name === 'session-generation' ? (record as SessionGeneration) : { open: false, generation: 0 }
  return open ? generation : null
}

/** Whether an answer that was asked for in this generation may still be kept, by this build. Inside a transaction. */
export const canStore = async (db: UserDatabase, generation: number): Promise<boolean> =>
  !isOutdated(db) && (await readSessionGeneration(db)) === generation
