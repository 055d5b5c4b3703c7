import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { isEqualHash, hashLength } from '#domain/audit-log/hash.ts'
import { type AuditLeaf, buildSearchText } from '#domain/audit-log/leaf.ts'
import { getHash, tileWidth, calculateSubtreeRoot, getTileWidth } from '#domain/audit-log/tiles.ts'
import { normaliseText } from '#domain/text.ts'
import type { AppContext } from '#server/context/context.ts'
import type { LogEntryRow } from '#server/db/audit/audit-checks.ts'
import { readTile } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AuditActor } from '#server/db/tables/audit-tables.ts'

/** Whether an entry matches the hash at its log index, and its other columns match its leaf. */
export function isAsRecorded(entry: LogEntryRow, companyId: number, hash: Uint8Array): boolean {
  if (entry.leaf === null || !isHashOfLeaf(entry.leaf, hash)) return false
  const leaf = JSON.parse(entry.leaf) as AuditLeaf
  return (
    leaf.id === entry.id &&
    leaf.company === companyId &&
    entry.company_id === companyId &&
    leaf.time === entry.end_time &&
    leaf.user_id === entry.exec_user_id &&
    leaf.user_name === entry.exec_user_name &&
    leaf.code === entry.code &&
    leaf.operation === entry.operation &&
    leaf.status === entry.status &&
    leaf.intent === entry.intent &&
    leaf.request_id === entry.request_id &&
    (leaf.actor_company === null) === (entry.actor_company_id === null) &&
    isRecordedActor(leaf, entry.actor) &&
    isRecordedSearch(leaf, entry.search) &&
    isDeepStrictEqual(leaf.info, entry.info)
  )
}

/** Gives the same result as a comparison with `hashLeaf`, but is several times as fast. */
export const isHashOfLeaf = (leaf: string, hash: Uint8Array): boolean =>
  isEqualHash(createHash('sha256').update('\0').update(leaf).digest(), hash)

export function isRecordedActor({ actor_hash }: AuditLeaf, actor: AuditActor | null): boolean {
  if (actor === null || actor_hash === null) return actor === actor_hash
  const hash = createHash('sha256')
    .update(toCanonicalJson({ ...actor }))
    .digest('hex')
  return hash === actor_hash
}

/**
 * Whether the search text matches the leaf. New entries normalise the user name separately (`buildEntryStatement`), older entries together
 * with the other text.
 */
export function isRecordedSearch(leaf: AuditLeaf, search: string): boolean {
  const otherText = normaliseText(buildSearchText({ ...leaf, user_name: '' }))
  const userName = normaliseText(leaf.user_name)
  return (
    search === (userName === '' ? otherText : `${userName}\n${otherText}`) ||
    search === normaliseText(buildSearchText(leaf))
  )
}

/** Digests of full tiles that were found in the tree, by company and index. Full tiles never change. */
const checkedTilesByApp = new WeakMap<AppContext, Map<string, string>>()

/**
 * Whether a tile of leaves belongs to the tree. Checks its parent tiles up to the first one that is not full, which the caller compares
 * with the signed root. This finds an entry that was changed together with its hash in a full tile.
 */
export async function isTileInTree(
  app: AppContext,
  db: DatabaseHandle,
  { companyId, size, index, hashes }: { companyId: number; size: number; index: number; hashes: Uint8Array },
): Promise<boolean> {
  const checkedTiles = checkedTilesByApp.get(app) ?? new Map<string, string>()
  checkedTilesByApp.set(app, checkedTiles)
  const digest = createHash('sha256').update(hashes).digest('base64')
  if (checkedTiles.get(`${companyId}/${index}`) === digest) return true
  let tile = { level: 0, index, hashes }
  for (let width = getTileWidth(tile, size); width === tileWidth; width = getTileWidth(tile, size)) {
    if (tile.hashes.length !== tileWidth * hashLength) return false
    const parent = { level: tile.level + 1, index: Math.floor(tile.index / tileWidth) }
    const parentHashes = (await readTile(db, companyId, parent.level, parent.index)) ?? new Uint8Array()
    if (!isEqualHash(getHash(parentHashes, tile.index % tileWidth), calculateSubtreeRoot(tile.hashes))) return false
    tile = { ...parent, hashes: parentHashes }
  }
  if (tile.level > 0) checkedTiles.set(`${companyId}/${index}`, digest)
  return true
}
