/** The session's generation in each user's database: open or closed. A response is stored only in the generation it was
 * asked for. */
import { isOutdated, type UserDatabase } from '#local/storage/database.ts'
import type { SessionGeneration } from '#local/storage/records.ts'

/** The gate's generation, to be compared when the answer comes; null: closed, nothing may be stored. */
export const readGate = async (db: UserDatabase): Promise<number | null> =>
  openGate(await db.meta.get('session-generation'))

/** The same of what was read. */
export const openGate = (gate: { name: string } | undefined): number | null => {
  const { open, generation } =
    gate?.name === 'session-generation' ? (gate as SessionGeneration) : { open: false, generation: 0 }
  return open ? generation : null
}

/** Whether an answer that was asked for in this generation may still be kept, by this build. Inside a transaction. */
export const mayStore = async (db: UserDatabase, generation: number): Promise<boolean> =>
  !isOutdated(db) && (await readGate(db)) === generation
