/** Keys of mailed links: 256 bits, only their hash is kept, each works once and not for ever (S-35, D75). */
import { createHash } from 'node:crypto'
import { type UserCredential, findCredentialByUserId } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'

export type KeyPurpose = 'activate' | 'reset'

export const hashOneTimeKey = (key: string) => createHash('sha256').update(key).digest('hex')

/** Whose key it is, while it works. */
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

/** Whether this call was the one that used it: of two at once, one is. */
export const spendKey = (db: DatabaseHandle, key: string, now: number) =>
  hasRow(
    db
      .updateTable('one_time_key')
      .set({ used: now })
      .where(hasValues({ hash: hashOneTimeKey(key), used: null }))
      .where('until', '>', now)
      .returning('hash'),
  )

/** When the link of the latest mail stops working, or has stopped; null: none was sent, or it was used. */
export async function findLinkExpiry(db: DatabaseHandle, userId: number, purpose: KeyPurpose): Promise<number | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('until')
    .where(hasValues({ user_id: userId, purpose, used: null }))
    .orderBy('until', 'desc')
    .executeTakeFirst()
  return row?.until ?? null
}

/** Links that were sent before no longer work, whatever they were for. */
export async function spendAllKeys(db: DatabaseHandle, userId: number, now: number): Promise<void> {
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where(hasValues({ user_id: userId, used: null }))
    .execute()
}

/**
 * The key of a mail that is about to be sent, perhaps not for the first time: until it is used or another mail has ended it,
 * it holds from now on. False: it was one of these. The links of that purpose which were sent before end with it (D75).
 */
export async function issueKey(
  db: DatabaseHandle,
  { key, userId, purpose, until, ...rest }: NewOneTimeKey,
  now: number,
) {
  const hash = hashOneTimeKey(key)
  // One mail of a user at a time: of two, the later ends the earlier.
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
