/** Builds a log as a dishonest server would serve it: consistent in itself, but different from the log that the device has seen. */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import type { LogTile } from '#domain/audit-log/tiles.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree-edge.ts'
import type { AppContext } from '#server/context/context.ts'
import { getLogOrigin, getSigningSeed } from '#server/use-cases/audit/log-identity.ts'
import type { ReceivedResponse } from '#tests/support/device/device.ts'
import type { RequestInterceptor } from '#tests/support/audit-trail/stored-trail.ts'

export interface ForgedLogOptions {
  epoch?: number
  /**
   * Seeds of the keys that sign the checkpoint. The default of `seed` is the server's. If `otherSeed` is given, the response names its key.
   */
  seed?: Uint8Array
  otherSeed?: Uint8Array
  nextKey?: string
  origin?: string
  /** Key changes that the server would send to a client with an older key. */
  handovers?: readonly string[]
}

/** Creates another log. By default it is signed by the server's own key, as an attacker with that key would do. */
export function createForgedLog(
  app: AppContext,
  companyId: number,
  entries: readonly string[],
  options: ForgedLogOptions = {},
) {
  const tiles = new Map<string, LogTile>()
  const { edge, root, changedTiles } = appendLeaves(emptyEdge, entries.map(hashLeaf))
  for (const tile of changedTiles) tiles.set(`${tile.level}/${tile.index}`, tile)
  const origin = options.origin ?? getLogOrigin(app, companyId)
  const seed = options.seed ?? getSigningSeed(app)
  const nextKeyField = options.nextKey === undefined ? {} : { nextKey: options.nextKey }
  const signers = [seed, ...(options.otherSeed ? [options.otherSeed] : [])].map((signerSeed) => ({
    name: origin,
    seed: signerSeed,
  }))
  const note = signCheckpoint({ origin, size: edge.size, root, epoch: options.epoch ?? 0, ...nextKeyField }, ...signers)
  const key = createVerifierKey(origin, options.otherSeed ?? seed)
  const toJsonResponse = (body: unknown, template: ReceivedResponse): ReceivedResponse => ({
    ...template,
    status: 200,
    body: JSON.stringify(body),
  })
  const intercept: RequestInterceptor = async (request, forward) => {
    const response = await forward()
    const [, level, index] = /\/tile\/(\d+)\/(\d+)/.exec(request.path) ?? []
    const tile = tiles.get(`${level}/${index}`)
    if (request.path.includes('/checkpoint'))
      return toJsonResponse(
        { note, key, pending: 0, ...(options.handovers && { handovers: options.handovers }) },
        { ...response, headers: { ...response.headers, 'content-type': 'application/json' } },
      )
    if (level !== undefined)
      return tile ? toJsonResponse({ hashes: toBase64(tile.hashes) }, response) : { ...response, status: 404 }
    return response
  }
  return { intercept, note }
}
