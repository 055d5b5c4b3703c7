import type { UserDatabase } from '#local/storage/database.ts'
import type { SealedWrites } from '#local/storage/records.ts'

export const readSealedWrites = async (db: UserDatabase): Promise<SealedWrites[]> =>
  (await db.meta.where('name').startsWith('sealed:').toArray()) as SealedWrites[]

export const getSealKeyId = ({ keyId = 0 }: SealedWrites): number => keyId

/** Returns true if sealed writes exist whose key may still arrive. They are older than all others, so no write may overtake them. */
export const hasSealedWrites = async (db: UserDatabase): Promise<boolean> =>
  (await readSealedWrites(db)).some(({ entries, isShut }) => entries > 0 && isShut !== true)
