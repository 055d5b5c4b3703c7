/** What lies sealed in a user's database, by what can be told of it without the key. What opens it is in sealed-outbox.ts. */
import type { UserDatabase } from '#local/storage/database.ts'
import type { SealedWrites } from '#local/storage/records.ts'

export const readSealedWrites = async (db: UserDatabase): Promise<SealedWrites[]> =>
  (await db.meta.where('name').startsWith('sealed:').toArray()) as SealedWrites[]

/** Of the key that opens it. */
export const getSealKeyId = ({ keyId = 0 }: SealedWrites): number => keyId

/**
 * Writes of this user lie here that nobody has opened yet, though their key may: older than any other, so nothing may
 * overtake them, and whoever is back waits for them.
 */
export const hasSealedWrites = async (db: UserDatabase): Promise<boolean> =>
  (await readSealedWrites(db)).some(({ entries, isShut }) => entries > 0 && isShut !== true)
