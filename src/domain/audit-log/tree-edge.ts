import { LogError } from '#domain/audit-log/fault.ts'
import { emptyRoot, type Hash, hashLength, hashNode } from '#domain/audit-log/hash.ts'
import {
  requireSize,
  countHashes,
  listEdgeTiles,
  type NodeReader,
  createNodeReader,
  type LogTile,
  tileWidth,
  calculateSubtreeRoot,
} from '#domain/audit-log/tiles.ts'

/**
 * The data that is needed to append to a log. `tiles` are those of `listEdgeTiles(size)` with exactly the width that they have at that
 * size.
 */
export interface TreeEdge {
  size: number
  tiles: readonly LogTile[]
}

export const emptyEdge: TreeEdge = { size: 0, tiles: [] }

/** MTH of the leaves from `start` up to `end` (exclusive). `start` must be a split point of RFC 6962. */
export function calculateRangeRoot(start: number, end: number, readNode: NodeReader): Hash {
  const count = end - start
  const leftCount = findSplit(count)
  if (leftCount * 2 === count || count === 1) return readNode(Math.log2(count), start / count)
  return hashNode(
    calculateRangeRoot(start, start + leftCount, readNode),
    calculateRangeRoot(start + leftCount, end, readNode),
  )
}

/** The largest power of two smaller than `count`; 0 for one leaf. */
export function findSplit(count: number): number {
  if (count <= 1) return 0
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

/** Root of the log of `size` leaves. Throws the errors of `readNode`. */
export const calculateRoot = (size: number, readNode: NodeReader): Hash =>
  requireSize(size) === 0 ? emptyRoot : calculateRangeRoot(0, size, readNode)

/** Root of the log with this right edge. Throws BAD_TILE if the tiles do not fit the size. */
export function calculateEdgeRoot(edge: TreeEdge): Hash {
  checkEdge(edge)
  const tiles = new Map(edge.tiles.map((tile) => [tile.level, tile.hashes]))
  // All complete subtrees of the edge are in its tiles, because a full tile is one hash of the tile above.
  return calculateRoot(
    edge.size,
    createNodeReader((level, index) => (isEdgeTile(edge, level, index) ? tiles.get(level) : undefined)),
  )
}

/**
 * Appends leaf hashes in this order from index `edge.size` on. `changedTiles` has every new or wider tile with all its hashes, for the
 * database to write. Computes about 2 hashes per leaf, regardless of the log size. Throws BAD_TILE if the edge does not fit its size,
 * BAD_HASH for a hash of another length.
 */
export function appendLeaves(
  edge: TreeEdge,
  leaves: readonly Hash[],
): { edge: TreeEdge; changedTiles: LogTile[]; root: Hash } {
  checkEdge(edge)
  if (leaves.some((hash) => hash.length !== hashLength))
    throw new LogError('BAD_HASH', 'a leaf hash must have 32 bytes')
  const size = requireSize(edge.size + leaves.length)
  const tilesByLevel = new Map(edge.tiles.map((tile) => [tile.level, tile]))
  const changedTiles: LogTile[] = []
  let addedHashes = leaves
  for (let level = 0; addedHashes.length > 0; level += 1) {
    const fullTileRoots: Hash[] = []
    for (const tile of widenTiles(level, countHashes(level, edge.size), tilesByLevel.get(level), addedHashes)) {
      changedTiles.push(tile)
      tilesByLevel.set(level, tile)
      if (tile.hashes.length === tileWidth * hashLength) {
        fullTileRoots.push(calculateSubtreeRoot(tile.hashes))
        tilesByLevel.delete(level)
      }
    }
    addedHashes = fullTileRoots
  }
  const next = { size, tiles: [...tilesByLevel.values()].sort((a, b) => a.level - b.level) }
  return { edge: next, changedTiles, root: calculateEdgeRoot(next) }
}

function widenTiles(
  level: number,
  count: number,
  partialTile: LogTile | undefined,
  addedHashes: readonly Hash[],
): LogTile[] {
  const existingHashes = partialTile?.hashes ?? new Uint8Array()
  const allHashes = new Uint8Array(existingHashes.length + addedHashes.length * hashLength)
  allHashes.set(existingHashes)
  addedHashes.forEach((hash, index) => allHashes.set(hash, existingHashes.length + index * hashLength))
  const firstTileIndex = Math.floor(count / tileWidth)
  const bytes = tileWidth * hashLength
  // Copies the bytes, because a view would keep the complete buffer in memory, and some databases would write all of it.
  return Array.from({ length: Math.ceil(allHashes.length / bytes) }, (_, index) => ({
    level,
    index: firstTileIndex + index,
    hashes: allHashes.slice(index * bytes, (index + 1) * bytes),
  }))
}

const isEdgeTile = (edge: TreeEdge, level: number, index: number) =>
  index === Math.floor(countHashes(level, edge.size) / tileWidth)

function checkEdge({ size, tiles }: TreeEdge): void {
  const names = listEdgeTiles(size)
  const isMatching = names.every(({ level, index }) => {
    const levelTiles = tiles.filter((tile) => tile.level === level)
    return (
      levelTiles.length === 1 &&
      levelTiles[0]?.index === index &&
      levelTiles[0].hashes.length === (countHashes(level, size) % tileWidth) * hashLength
    )
  })
  if (!isMatching || names.length !== tiles.length)
    throw new LogError('BAD_TILE', `the tiles are not the right edge of a log of ${size} leaves`)
}
