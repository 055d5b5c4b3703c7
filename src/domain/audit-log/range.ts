/**
 * Proves a range of the log. The input is the tiles with its leaf hashes, the tiles above them, and those at the log's right edge. Each
 * tile is verified by the tile above it, and the edge by the signed root.
 */
import { LogError } from '#domain/audit-log/fault.ts'
import { isEqualHash, hashLength } from '#domain/audit-log/hash.ts'
import {
  listEdgeTiles,
  getHash,
  type LogTile,
  type TileName,
  type TileReader,
  tileWidth,
  getTileWidth,
  calculateSubtreeRoot,
} from '#domain/audit-log/tiles.ts'
import { calculateEdgeRoot } from '#domain/audit-log/tree-edge.ts'

export interface LogRange {
  from: number
  /** Exclusive log index. */
  to: number
  size: number
}

/** The tiles that `checkRange` reads, each once, level by level. */
export function listRangeTiles({ from, to, size }: LogRange): TileName[] {
  const names = new Map<string, TileName>()
  const add = (name: TileName) => names.set(`${name.level}/${name.index}`, name)
  let [firstIndex, lastIndex] = [from, to - 1]
  for (let level = 0; firstIndex <= lastIndex; level += 1) {
    firstIndex = Math.floor(firstIndex / tileWidth)
    lastIndex = Math.floor(lastIndex / tileWidth)
    for (let index = firstIndex; index <= lastIndex; index += 1)
      if (getTileWidth({ level, index }, size) > 0) add({ level, index })
    if (getTileWidth({ level, index: lastIndex }, size) === 0) break
  }
  for (const name of listEdgeTiles(size)) add(name)
  return [...names.values()]
}

/**
 * Returns the first tile that does not match the tile above or the root, or null if all match. Yields once per tile, so that the caller can
 * pause in between. Throws TILE_MISSING, BAD_TILE.
 */
export function* checkRange(
  readHashes: TileReader,
  range: LogRange & { root: Uint8Array },
): Generator<void, TileName | null> {
  const { size } = range
  const readTile = (name: TileName): LogTile => ({ ...name, hashes: readExactHashes(readHashes, name, size) })
  const edge = listEdgeTiles(size).map(readTile)
  if (!isEqualHash(calculateEdgeRoot({ size, tiles: edge }), range.root)) return edge[0] ?? { level: 0, index: 0 }
  for (const name of listRangeTiles(range)) {
    if (getTileWidth(name, size) < tileWidth) continue
    const parent = { level: name.level + 1, index: Math.floor(name.index / tileWidth) }
    const expectedHash = getHash(readExactHashes(readHashes, parent, size), name.index % tileWidth)
    if (!isEqualHash(calculateSubtreeRoot(readExactHashes(readHashes, name, size)), expectedHash)) return name
    yield
  }
  return null
}

/** Cuts the tile to the width that it had at that log size, because it may have grown since. */
function readExactHashes(readHashes: TileReader, name: TileName, size: number): Uint8Array {
  const hashes = readHashes(name.level, name.index)
  const bytes = getTileWidth(name, size) * hashLength
  if (hashes === undefined) throw new LogError('TILE_MISSING', `tile ${name.level}/${name.index} is missing`)
  if (hashes.length < bytes)
    throw new LogError('BAD_TILE', `tile ${name.level}/${name.index} has ${hashes.length} bytes`)
  return hashes.subarray(0, bytes)
}
