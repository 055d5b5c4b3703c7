/** What was cached for a user whose session lapsed comes back with the next login, before anything else is stored (decision 83). */
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import { keysIn } from '#local/outbox/seal-keys.ts'
import { openCache, sealedCacheKey } from '#local/seals/sealed-cache.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Ports } from '#request/ports.ts'
import { isGood, jsonOf, sendRequest } from '#request/transport/transport.ts'

/** Before the session is opened here: until then nothing is stored that the rows could be mixed with. */
export async function openSealedCache(ports: Ports, db: UserDatabase, token: string): Promise<void> {
  const keyId = await sealedCacheKey(db)
  if (keyId === null) return
  const { method, path } = toWire(getUser, { query: { seals: String(keyId) } })
  const answer = await sendRequest(ports, { method, path, headers: { authorization: `Bearer ${token}` }, body: null })
  const key = answer && isGood(answer) ? (keysIn(jsonOf(answer)).get(keyId) ?? null) : null
  await openCache(db, key)
}
