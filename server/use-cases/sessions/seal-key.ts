/**
 * The keys under which a user's devices seal unsent writes at sign-out (protocol 30): 32 random bytes, base64url. Each
 * session has one of its own; the account's first, which is made with the user, has the id 0.
 */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import { deleteSealKeys, listSealKeys } from '#server/db/accounts/seal-keys.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runForCompany } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export const createSealKey = () => randomBytes(32).toString('base64url')

/** Of an account as a whole: of sessions that began before each had its own, and of earlier builds of the client. */
const accountKeyId = 0

/** As `sealKeyIds` of the contract spells them. */
const parseIds = (text = ''): number[] => (text === '' ? [] : text.split(',').map(Number))

/** What oneself is told of one's keys. Ids that are not this user's are left out, whether they exist or not. */
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

/** Nothing is sealed under them any more. Said again it changes nothing. */
export async function forgetSealKeys(app: AppContext, { userId, companyId }: Caller, text: string): Promise<void> {
  await runForCompany(app, { companyId }, (db) => deleteSealKeys(db, userId, parseIds(text), app.clock()))
}
