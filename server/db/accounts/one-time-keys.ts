/** Keys of mailed links: 256 bits, only their hash is kept, each works once and not for ever (S-35, D75). */
import { createHash } from 'node:crypto'
import { type Credential, credentialOf } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'

export type Purpose = 'activate' | 'reset'

export const hashOneTimeKey = (key: string) => createHash('sha256').update(key).digest('hex')

/** Whose key it is, while it works. */
export async function holderOfKey(db: Handle, key: string, purpose: Purpose, now: number): Promise<Credential | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('user_id')
    .where('hash', '=', hashOneTimeKey(key))
    .where('purpose', '=', purpose)
    .where('used', 'is', null)
    .where('until', '>', now)
    .executeTakeFirst()
  return row ? credentialOf(db, row.user_id) : null
}

/** Whether this call was the one that used it: of two at once, one is. */
export async function spendKey(db: Handle, key: string, now: number): Promise<boolean> {
  const spent = await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where('hash', '=', hashOneTimeKey(key))
    .where('used', 'is', null)
    .where('until', '>', now)
    .returning('hash')
    .executeTakeFirst()
  return spent !== undefined
}

/** When the link of the latest mail stops working, or has stopped; null: none was sent, or it was used. */
export async function endOfLink(db: Handle, userId: number, purpose: Purpose): Promise<number | null> {
  const row = await db
    .selectFrom('one_time_key')
    .select('until')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('used', 'is', null)
    .orderBy('until', 'desc')
    .executeTakeFirst()
  return row?.until ?? null
}

/** Links that were sent before no longer work, whatever they were for. */
export async function spendKeysOf(db: Handle, userId: number, now: number): Promise<void> {
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where('user_id', '=', userId)
    .where('used', 'is', null)
    .execute()
}

/**
 * The key of a mail that is about to be sent, perhaps not for the first time: until it is used or another mail has ended it,
 * it holds from now on. False: it was one of these. The links of that purpose which were sent before end with it (D75).
 */
export async function offerKey(db: Handle, { key, userId, purpose, until, ...rest }: NewKey, now: number) {
  const hash = hashOneTimeKey(key)
  // One mail of a user at a time: of two, the later ends the earlier.
  await db.selectFrom('portal_user').select('id').where('id', '=', userId).forUpdate().execute()
  const renewed = await db
    .updateTable('one_time_key')
    .set({ until })
    .where('hash', '=', hash)
    .where('used', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  if (renewed) return true
  const known = await db.selectFrom('one_time_key').select('hash').where('hash', '=', hash).executeTakeFirst()
  if (known) return false
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('used', 'is', null)
    .execute()
  await addKey(db, { key, userId, purpose, until, ...rest })
  return true
}

export interface NewKey {
  key: string
  userId: number
  companyId: number
  purpose: Purpose
  until: number
}

export async function addKey(db: Handle, { key, userId, companyId, purpose, until }: NewKey): Promise<void> {
  await db
    .insertInto('one_time_key')
    .values({ hash: hashOneTimeKey(key), user_id: userId, company_id: companyId, purpose, until, used: null })
    .execute()
}
