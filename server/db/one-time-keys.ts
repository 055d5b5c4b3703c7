/** Keys of mailed links: 256 bits, only their hash is kept, each works once and not for ever (S-35, D75). */
import { createHash } from 'node:crypto'
import { type Credential, credentialOf } from '#server/db/credentials.ts'
import type { Handle } from '#server/house.ts'

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

/** Links that were sent before no longer work. */
export async function spendKeysOf(db: Handle, userId: number, now: number): Promise<void> {
  await db
    .updateTable('one_time_key')
    .set({ used: now })
    .where('user_id', '=', userId)
    .where('used', 'is', null)
    .execute()
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
