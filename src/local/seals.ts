/** What lies sealed in a user's database, by what can be told of it without the key. What opens it is in seal.ts. */
import type { Sealed, UserDatabase } from '#local/database.ts'

/** Between these lie the names of what is sealed. */
export const sealedNames = ['sealed:', 'sealed:\uffff'] as const

export const sealsIn = async (db: UserDatabase): Promise<Sealed[]> =>
  (await db.meta
    .where('name')
    .between(...sealedNames)
    .toArray()) as Sealed[]

/**
 * Writes of this user lie here that nobody has opened yet, though their key may: older than any other, so nothing may
 * overtake them, and whoever is back waits for them.
 */
export const isSealedUp = async (db: UserDatabase): Promise<boolean> =>
  (await sealsIn(db)).some(({ entries, isShut }) => entries > 0 && isShut !== true)
