import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonical } from '#domain/audit-log/canonical.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { type AuditLeaf, searchTextOf } from '#domain/audit-log/leaf.ts'
import { hashAt, tileWidth, wholeRoot, widthOf } from '#domain/audit-log/tiles.ts'
import { foldText } from '#domain/text.ts'
import type { AppContext } from '#server/context/context.ts'
import type { EntryGlance } from '#server/db/audit/audit-checks.ts'
import { tileOf } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import type { Actor } from '#server/db/tables/audit-tables.ts'

/** Whether an entry has the hash that its place has, and every column beside the leaf is what the leaf says. */
export function isAsRecorded(entry: EntryGlance, companyId: number, hash: Uint8Array): boolean {
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
    isActorOf(leaf, entry.actor) &&
    isSearchOf(leaf, entry.search) &&
    isDeepStrictEqual(leaf.info, entry.info)
  )
}

/** As `leafHash`, some times as fast. */
export const isHashOfLeaf = (leaf: string, hash: Uint8Array): boolean =>
  equalHashes(createHash('sha256').update('\0').update(leaf).digest(), hash)

export function isActorOf({ actor_hash }: AuditLeaf, actor: Actor | null): boolean {
  if (actor === null || actor_hash === null) return actor === actor_hash
  const hash = createHash('sha256')
    .update(canonical({ ...actor }))
    .digest('hex')
  return hash === actor_hash
}

/** A name is folded by itself when it is written (`entryStatement`); entries of before were folded as a whole. */
export function isSearchOf(leaf: AuditLeaf, search: string): boolean {
  const rest = foldText(searchTextOf({ ...leaf, user_name: '' }))
  const name = foldText(leaf.user_name)
  return search === (name === '' ? rest : `${name}\n${rest}`) || search === foldText(searchTextOf(leaf))
}

/** Full tiles that were found in the tree, by company and index: the digest of their bytes. They never change. */
const knownTiles = new WeakMap<AppContext, Map<string, string>>()

/**
 * Whether a tile of leaves is the one under the signed root: it is followed up to the first tile that is not full, which the caller compares
 * with that root. An entry that was changed together with its hash in a full tile fits that tile, and nothing else reads it again.
 */
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
