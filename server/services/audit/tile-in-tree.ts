/**
 * Whether a tile of leaves is the one under the signed root. An entry that was changed together with its hash in a full tile fits that
 * tile, and neither the edge of the tree nor a proof of consistency reads it again.
 */
import { createHash } from 'node:crypto'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { hashAt, tileWidth, wholeRoot, widthOf } from '#domain/audit-log/tiles.ts'
import type { AppContext } from '#server/context.ts'
import { tileOf } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'

/** Full tiles that were found in the tree, by company and index: the digest of their bytes. They never change. */
const knownTiles = new WeakMap<AppContext, Map<string, string>>()

/** Goes up to the first tile that is not full: the caller compares those with the signed root. */
export async function isTileInTree(
  app: AppContext,
  db: Handle,
  { companyId, size, index, hashes }: { companyId: number; size: number; index: number; hashes: Uint8Array },
): Promise<boolean> {
  const known = knownTiles.get(app) ?? new Map<string, string>()
  knownTiles.set(app, known)
  const digest = createHash('sha256').update(hashes).digest('base64')
  if (known.get(`${companyId}/${index}`) === digest) return true
  let tile = { level: 0, index, hashes }
  for (let width = widthOf(tile, size); width === tileWidth; width = widthOf(tile, size)) {
    if (tile.hashes.length !== tileWidth * hashBytes) return false
    const parent = { level: tile.level + 1, index: Math.floor(tile.index / tileWidth) }
    const above = (await tileOf(db, companyId, parent.level, parent.index)) ?? new Uint8Array()
    if (!equalHashes(hashAt(above, tile.index % tileWidth), wholeRoot(tile.hashes))) return false
    tile = { ...parent, hashes: above }
  }
  if (tile.level > 0) known.set(`${companyId}/${index}`, digest)
  return true
}
