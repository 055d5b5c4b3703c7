/** Keys of mailed links: 256 bits, stored only as a hash. Each works once and for a limited time (S-35, D75). */
import { createHash } from 'node:crypto'
import { type UserCredential, findCredentialByUserId } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'

export type KeyPurpose = 'activate' | 'reset'

export const hashOneTimeKey = (key: string) => createHash('sha256').update(key).digest('hex')

export async function findKeyHolder(
  db: DatabaseHandle,
  key: string,
  purpose: KeyPurpose,
  now: number,
): Promise<UserCredential | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('user_id')
    .where(hasValues({ hash: hashOneTimeKey(key), purpose, used: null }))
    .where('until', '>', now)
    .executeTakeFirst()
  return row ? findCredentialByUserId(db, row.user_id) : null
}

/** Marks the key as used. Returns false if it was used before or has expired, so only one of two concurrent calls succeeds. */
export const spendKey = (db: DatabaseHandle, key: string, now: number) =>
  hasRow(
    db
      .updateTable('one_time_key')
      .set({ used: now })
      .where(hasValues({ hash: hashOneTimeKey(key), used: null }))
      .where('until', '>', now)
      .returning('hash'),
  )

/** Returns when the link of the latest mail expires (epoch ms). Returns null if no mail was sent, or if the link was used. */
export async function findLinkExpiry(db: DatabaseHandle, userId: number, purpose: KeyPurpose): Promise<number | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('until')
    .where(hasValues({ user_id: userId, purpose, used: null }))
    .orderBy('until', 'desc')
    .executeTakeFirst()
  return row?.until ?? null
}

/** Returns when the key with this hash expires (epoch ms). Returns null if it was used or has expired. */
export async function findKeyExpiry(db: DatabaseHandle, hash: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('until')
    .where(hasValues({ hash, used: null }))
    .where('until', '>', now)
    .executeTakeFirst()
  return row?.until ?? null
}

/** Makes all earlier links of the user invalid, for every purpose. */
export async function spendAllKeys(db: DatabaseHandle, userId: number, now: number): Promise<void> {
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where(hasValues({ user_id: userId, used: null }))
    .execute()
}

/**
 * Stores `key` just before its mail is sent, or renews its end if it is already stored. Earlier links of that purpose become invalid (D75).
 * Returns false if `key` itself was used or replaced.
 */
export async function issueKey(
  db: DatabaseHandle,
  { key, userId, purpose, until, ...rest }: NewOneTimeKey,
  now: number,
) {
  const hash = hashOneTimeKey(key)
  // Locks the user, so that of two concurrent mails the later one replaces the earlier one.
  await db.selectFrom('portal_user').select('id').where('id', '=', userId).forUpdate().execute()
  const renewedRow = await db
    .updateTable('one_time_key')
    .set({ until })
    .where(hasValues({ hash, used: null }))
    .returning('hash')
    .executeTakeFirst()
  if (renewedRow) return true
  const existingRow = await db.selectFrom('one_time_key').select('hash').where('hash', '=', hash).executeTakeFirst()
  if (existingRow) return false
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where(hasValues({ user_id: userId, purpose, used: null }))
    .execute()
  await insertKey(db, { key, userId, purpose, until, ...rest })
  return true
}

export interface NewOneTimeKey {
  key: string
  userId: number
  companyId: number
  purpose: KeyPurpose
  until: number
}

export async function insertKey(db: DatabaseHandle, { key, userId, companyId, purpose, until }: NewOneTimeKey) {
  await db
    .insertInto('one_time_key')
    .values({ hash: hashOneTimeKey(key), user_id: userId, company_id: companyId, purpose, until, used: null })
    .execute()
}
