/** The session generation of a user's database. A response is stored only in the generation that requested it. */
import { isOutdated, type UserDatabase } from '#local/storage/database.ts'
import type { SessionGeneration } from '#local/storage/records.ts'

/** Returns the generation to compare when the response arrives, or null if it is closed and nothing may be stored. */
export const readSessionGeneration = async (db: UserDatabase): Promise<number | null> =>
  getOpenGeneration(await db.meta.get('session-generation'))

export const getOpenGeneration = (record: { name: string } | undefined): number | null => {
  const { open, generation } =
    record?.name === 'session-generation' ? (record as SessionGeneration) : { open: false, generation: 0 }
  return open ? generation : null
}

/** Returns true if a response requested in this generation may still be stored by this build. Must run inside a transaction. */
export const canStore = async (db: UserDatabase, generation: number): Promise<boolean> =>
  !isOutdated(db) && (await readSessionGeneration(db)) === generation
