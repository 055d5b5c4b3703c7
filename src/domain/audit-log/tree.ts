/** The tree grows: roots, and leaves appended to the tiles at its right edge. */
import { LogError } from '#domain/audit-log/fault.ts'
import { emptyRoot, type Hash, hashBytes, nodeHash } from '#domain/audit-log/hash.ts'
import {
  checkedSize,
  countAt,
  edgeTiles,
  type NodeReader,
  nodesOf,
  type Tile,
  tileWidth,
  wholeRoot,
} from '#domain/audit-log/tiles.ts'

/** A log as far as it takes to append to it: `tiles` are those of `edgeTiles(size)`, each exactly as wide as the size says. */
export interface Edge {
  size: number
  tiles: readonly Tile[]
}

export const emptyEdge: Edge = { size: 0, tiles: [] }

/** MTH of the leaves from `start` up to `end`, without `end`; `start` as RFC 6962 cuts trees. At least one leaf. */
export function rangeRoot(start: number, end: number, read: NodeReader): Hash {
  const count = end - start
  const half = splitOf(count)
  if (half * 2 === count || count === 1) return read(Math.log2(count), start / count)
  return nodeHash(rangeRoot(start, start + half, read), rangeRoot(start + half, end, read))
}

/** The largest power of two that is smaller than the count; of one leaf 0. */
export function splitOf(count: number): number {
  if (count <= 1) return 0
  let half = 1
  while (half * 2 < count) half *= 2
  return half
}

/** The root of the log of `size` leaves. Throws as its reader. */
export const rootOf = (size: number, read: NodeReader): Hash =>
  checkedSize(size) === 0 ? emptyRoot : rangeRoot(0, size, read)

/** The root of the log whose right edge this is. Throws BAD_TILE where the tiles do not fit the size. */
export function rootOfEdge(edge: Edge): Hash {
  checkEdge(edge)
  const tiles = new Map(edge.tiles.map((tile) => [tile.level, tile.hashes]))
  // Whole subtrees of the edge all lie in its tiles: a full tile is one hash of the tile above.
  return rootOf(
    edge.size,
    nodesOf((level, index) => (isEdge(edge, level, index) ? tiles.get(level) : undefined)),
  )
}

/**
 * Appends leaves by their hashes, in this order from index `edge.size` on. `changed`: every tile that is new or wider than before,
 * with all that it holds now; what a database has to write. Takes some 2 hashes a leaf, whatever the size of the log. Throws
 * BAD_TILE where the edge does not fit its size, BAD_HASH on a hash of another length.
 */
export function appendLeaves(edge: Edge, leaves: readonly Hash[]): { edge: Edge; changed: Tile[]; root: Hash } {
  checkEdge(edge)
  if (leaves.some((hash) => hash.length !== hashBytes)) throw new LogError('BAD_HASH', 'a leaf hash has 32 bytes')
  const size = checkedSize(edge.size + leaves.length)
  const kept = new Map(edge.tiles.map((tile) => [tile.level, tile]))
  const changed: Tile[] = []
  let added = leaves
  for (let level = 0; added.length > 0; level += 1) {
    const above: Hash[] = []
    for (const tile of widened(level, countAt(level, edge.size), kept.get(level), added)) {
      changed.push(tile)
      kept.set(level, tile)
      if (tile.hashes.length === tileWidth * hashBytes) {
        above.push(wholeRoot(tile.hashes))
        kept.delete(level)
      }
    }
    added = above
  }
  const next = { size, tiles: [...kept.values()].sort((one, other) => one.level - other.level) }
  return { edge: next, changed, root: rootOfEdge(next) }
}

/** The tiles of a level once hashes are added behind its first `count`. */
function widened(level: number, count: number, partial: Tile | undefined, added: readonly Hash[]): Tile[] {
  const before = partial?.hashes ?? new Uint8Array()
  const all = new Uint8Array(before.length + added.length * hashBytes)
  all.set(before)
  added.forEach((hash, at) => all.set(hash, before.length + at * hashBytes))
  const first = Math.floor(count / tileWidth)
  const bytes = tileWidth * hashBytes
  // Each a copy: a view would keep all of them in memory, and is written whole by some databases.
  return Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) => ({
    level,
    index: first + at,
    hashes: all.slice(at * bytes, (at + 1) * bytes),
  }))
}

const isEdge = (edge: Edge, level: number, index: number) => index === Math.floor(countAt(level, edge.size) / tileWidth)

function checkEdge({ size, tiles }: Edge): void {
  const names = edgeTiles(size)
  const fits = names.every(({ level, index }) => {
    const same = tiles.filter((tile) => tile.level === level)
    return (
      same.length === 1 &&
      same[0]?.index === index &&
      same[0].hashes.length === (countAt(level, size) % tileWidth) * hashBytes
    )
  })
  if (!fits || names.length !== tiles.length) throw new LogError('BAD_TILE', `no edge of a log of ${size} leaves`)
}
