/** Restores a user's sealed data (protocol 30). Requested keys and their responses are never stored. */
import { deleteSealKeys, getUser, maxSealKeys } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { forgetSpentKeys, readStoredKeys, getSealKeys, type SealKeys, findSpentKeys } from '#local/seals/seal-keys.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { getSealKeyId, readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CurrentSession } from '#request/session/current-session.ts'
import { isSuccess, parseJson, type RequestData, type ResponseData } from '#request/transport/send-request.ts'

type SealOwner = Pick<CurrentSession, 'db' | 'forUser'> & {
  /** The function `sendSignedIn`. It is a parameter, because its module imports this one. */
  send: (ports: PipelinePorts, request: RequestData) => Promise<ResponseData | null>
}

/** Returns the number of restored writes. Offline, data stays sealed. `retryFailed` includes earlier failures. */
export async function openSeals(ports: PipelinePorts, owner: SealOwner, { retryFailed = false } = {}): Promise<number> {
  const { db } = owner
  let restoredCount = 0
  if ((await readSealedWrites(db)).length > 0) {
    const generation = await readSessionGeneration(db)
    restoredCount += await unseal(db, await readStoredKeys(db), generation)
    const remainingSeals = (await readSealedWrites(db)).filter(({ isShut }) => retryFailed || isShut !== true)
    for (const ids of splitIntoChunks([...new Set(remainingSeals.map(getSealKeyId))])) {
      const keys = await fetchKeys(ports, owner, ids)
      if (!keys) break
      restoredCount += await unseal(db, keys, generation)
    }
  }
  // Not awaited, because it does no harm if the server keeps a key a little longer.
  if ((await findSpentKeys(db)).length > 0) ports.keepAlive(reportSpentKeys(ports, owner))
  return restoredCount
}

/** Returns null if no response contains the keys. In the result, a key is null if the server has deleted it. */
async function fetchKeys(ports: PipelinePorts, owner: SealOwner, ids: readonly number[]): Promise<SealKeys | null> {
  const response = await sendAsOwner(ports, owner, toHttpRequest(getUser, { query: { seals: ids.join(',') } }))
  const body = response && (parseJson(response) as { seal_keys?: unknown } | undefined)
  // A server of an earlier build ignores the ids and sends no list. Then a missing key does not mean that it was deleted.
  if (!Array.isArray(body?.seal_keys)) return null
  const keys = getSealKeys(body)
  return new Map(ids.map((id) => [id, keys.get(id) ?? null]))
}

async function reportSpentKeys(ports: PipelinePorts, owner: SealOwner): Promise<void> {
  const { db } = owner
  for (const ids of splitIntoChunks(await findSpentKeys(db))) {
    if (!(await sendAsOwner(ports, owner, toHttpRequest(deleteSealKeys, { query: { ids: ids.join(',') } })))) return
    await forgetSpentKeys(db, ids)
  }
}

/** Returns a successful response to this user, or null. The session may have changed meanwhile. */
async function sendAsOwner(
  ports: PipelinePorts,
  { forUser, send }: SealOwner,
  { method, path }: Record<'method' | 'path', string>,
): Promise<ResponseData | null> {
  const response = await send(ports, { method, path, headers: { [headers.forUser]: forUser }, body: null })
  return response && isSuccess(response) && response.headers.get(headers.subject) === forUser ? response : null
}

const splitIntoChunks = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / maxSealKeys) }, (_, chunkIndex) =>
    ids.slice(chunkIndex * maxSealKeys, (chunkIndex + 1) * maxSealKeys),
  )
