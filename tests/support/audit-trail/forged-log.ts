/** A log that a server would serve that lies: whole in itself, and another one than the device has seen. */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import type { Tile } from '#domain/audit-log/tiles.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree.ts'
import type { AppContext } from '#server/context/context.ts'
import { originOf, signingSeed } from '#server/use-cases/audit/log-identity.ts'
import type { Received } from '#tests/support/device/device.ts'
import type { Between } from '#tests/support/audit-trail/kept-trail.ts'

export interface Forgery {
  epoch?: number
  /** Of who signs; the first one alone names the next key. */
  seed?: Uint8Array
  beside?: Uint8Array
  nextKey?: string
  origin?: string
  /** Of earlier changes of the key, as the server would tell whoever knows an old one. */
  handovers?: readonly string[]
}

/** Another log, signed by the server's own key: what somebody who holds that key would serve. */
export function forgedLog(app: AppContext, companyId: number, entries: readonly string[], over: Forgery = {}) {
  const tiles = new Map<string, Tile>()
  const { edge, root, changed } = appendLeaves(emptyEdge, entries.map(leafHash))
  for (const tile of changed) tiles.set(`${tile.level}/${tile.index}`, tile)
  const origin = over.origin ?? originOf(app, companyId)
  const seed = over.seed ?? signingSeed(app)
  const named = over.nextKey === undefined ? {} : { nextKey: over.nextKey }
  const signers = [seed, ...(over.beside ? [over.beside] : [])].map((one) => ({ name: origin, seed: one }))
  const note = signCheckpoint({ origin, size: edge.size, root, epoch: over.epoch ?? 0, ...named }, ...signers)
  const key = verifierKeyOf(origin, over.beside ?? seed)
  const json = (body: unknown, like: Received): Received => ({ ...like, status: 200, body: JSON.stringify(body) })
  const between: Between = async (sent, pass) => {
    const answer = await pass()
    const [, level, index] = /\/tile\/(\d+)\/(\d+)/.exec(sent.path) ?? []
    const tile = tiles.get(`${level}/${index}`)
    if (sent.path.includes('/checkpoint'))
      return json(
        { note, key, pending: 0, ...(over.handovers && { handovers: over.handovers }) },
        { ...answer, headers: { ...answer.headers, 'content-type': 'application/json' } },
      )
    if (level !== undefined) return tile ? json({ hashes: toBase64(tile.hashes) }, answer) : { ...answer, status: 404 }
    return answer
  }
  return { between, note }
}
