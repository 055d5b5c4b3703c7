/** Manages the keys that seal unsent writes at sign-out (protocol 30). Each session has a key of 32 random bytes as base64url. */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import { deleteSealKeys, listSealKeys } from '#server/db/accounts/seal-keys.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runForCompany } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export const createSealKey = () => randomBytes(32).toString('base64url')

/** Id of the account's key. It is for sessions from before each session had its own key, and for older builds of the client. */
const accountKeyId = 0

const parseIds = (text = ''): number[] => (text === '' ? [] : text.split(',').map(Number))

/** Returns the caller's keys. Ids in `seals` that are not the caller's are ignored, so nobody learns whether they exist. */
export async function readSealKeys(
  db: DatabaseHandle,
  { id: userId, seal_key: accountKey }: { id: number; seal_key: string },
  { sessionId, seals }: { sessionId: string | null; seals: string | undefined },
) {
  const ids = parseIds(seals)
  const sessionKeys = await listSealKeys(db, userId, { sessionId, ids })
  const ownKey = sessionKeys.find((sessionKey) => sessionKey.session_id === sessionId) ?? {
    id: accountKeyId,
    key: accountKey,
  }
  const allKeys = [{ id: accountKeyId, key: accountKey }, ...sessionKeys].map(({ id, key }) => ({ id, key }))
  return {
    seal_key: accountKey,
    session_seal_key: { id: ownKey.id, key: ownKey.key },
    seal_keys: allKeys.filter(({ id }) => ids.includes(id)),
  }
}

/** Deletes keys that no stored write needs any more. A repeat changes nothing. */
export async function forgetSealKeys(app: AppContext, { userId, companyId }: Caller, text: string): Promise<void> {
  await runForCompany(app, { companyId }, (db) => deleteSealKeys(db, userId, parseIds(text), app.clock()))
}
