/**
 * The keys under which a user's devices seal unsent writes at sign-out (protocol 30): 32 random bytes, base64url. Each
 * session has one of its own; the account's first, which is made with the user, has the id 0.
 */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import { deleteSealKeys, sealKeysOf } from '#server/db/accounts/seal-keys.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export const newSealKey = () => randomBytes(32).toString('base64url')

/** Of an account as a whole: of sessions that began before each had its own, and of earlier builds of the client. */
const firstId = 0

/** As `sealKeyIds` of the contract spells them. */
const idsIn = (text = ''): number[] => (text === '' ? [] : text.split(',').map(Number))

/** What oneself is told of one's keys. Ids that are not this user's are left out, whether they exist or not. */
export async function sealKeysFor(
  db: Handle,
  { id: userId, seal_key: first }: { id: number; seal_key: string },
  { sessionId, seals }: { sessionId: string | null; seals: string | undefined },
) {
  const ids = idsIn(seals)
  const found = await sealKeysOf(db, userId, { sessionId, ids })
  const own = found.find((one) => one.session_id === sessionId) ?? { id: firstId, key: first }
  const all = [{ id: firstId, key: first }, ...found].map(({ id, key }) => ({ id, key }))
  return {
    seal_key: first,
    session_seal_key: { id: own.id, key: own.key },
    seal_keys: all.filter(({ id }) => ids.includes(id)),
  }
}

/** Nothing is sealed under them any more. Said again it changes nothing. */
export async function forgetSealKeys(app: AppContext, { userId, companyId }: Caller, text: string): Promise<void> {
  await inTransaction(app, { role: 'portal_app', companyId }, (db) =>
    deleteSealKeys(db, userId, idsIn(text), app.clock()),
  )
}
