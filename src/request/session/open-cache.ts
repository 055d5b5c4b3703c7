/** What was cached for a user whose session lapsed comes back with the next login, before anything else is stored (decision 83). */
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import { isRightLost, type Rights } from '#domain/access.ts'
import { keysIn } from '#local/seals/seal-keys.ts'
import { openCache, readSealedCache } from '#local/seals/sealed-cache.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Ports } from '#request/ports.ts'
import { isGood, jsonOf, sendRequest } from '#request/transport/transport.ts'

/** Before the session is opened here: until then nothing is stored that the rows could be mixed with. */
export async function openSealedCache(ports: Ports, db: UserDatabase, token: string): Promise<void> {
  const found = await readSealedCache(db)
  if (!found) return
  const { keyId, rights } = found
  const { method, path } = toWire(getUser, { query: { seals: String(keyId) } })
  const answer = await sendRequest(ports, { method, path, headers: { authorization: `Bearer ${token}` }, body: null })
  const user = answer && isGood(answer) ? (jsonOf(answer) as Rights | undefined) : undefined
  // What a right showed that was lost meanwhile is not for this user any more.
  const isTheirs = user !== undefined && (!rights || !isRightLost(rights, user))
  await openCache(db, isTheirs ? (keysIn(user).get(keyId) ?? null) : null)
}
