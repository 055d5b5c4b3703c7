/** Restores the cache of a user whose session expired, with the next login and before anything else is stored (decision 83). */
import { getUser } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { isRightLost, type UserRights } from '#domain/access.ts'
import { getSealKeys } from '#local/seals/seal-keys.ts'
import { restoreSealedCache, readSealedCache } from '#local/seals/sealed-cache.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { isSuccess, parseJson, sendRequest } from '#request/transport/send-request.ts'

/**
 * Restores or deletes the sealed cache. Must run before the session is opened on the device, so that no new rows mix with the restored
 * ones.
 */
export async function openSealedCache(ports: PipelinePorts, db: UserDatabase, token: string): Promise<void> {
  const sealedCache = await readSealedCache(db)
  if (!sealedCache) return
  const { keyId, rights } = sealedCache
  const { method, path } = toHttpRequest(getUser, { query: { seals: String(keyId) } })
  const response = await sendRequest(ports, { method, path, headers: { authorization: `Bearer ${token}` }, body: null })
  const user = response && isSuccess(response) ? (parseJson(response) as UserRights | undefined) : undefined
  // If a right was lost meanwhile, the user may no longer see all of the cached data, so it is not restored.
  const canOpen = user !== undefined && (!rights || !isRightLost(rights, user))
  await restoreSealedCache(db, canOpen ? (getSealKeys(user).get(keyId) ?? null) : null)
}
