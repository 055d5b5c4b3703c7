/**
 * A stretch of the log proven as a whole: with the tiles that hold its leaf hashes, those above them and those at the log's right edge,
 * each tile is checked by the one above, and the edge by the signed root.
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
  /** Not included. */
  to: number
  /** Of the whole log. */
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
 * The first tile that is not as the tile above or the root says; null: all of them are. In steps, one a tile, so that whoever runs
 * them can pause in between. Throws TILE_MISSING, BAD_TILE.
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

/** As wide as a log of that size has it, whatever came since. */
function readExactHashes(readHashes: TileReader, name: TileName, size: number): Uint8Array {
  const hashes = readHashes(name.level, name.index)
  const bytes = getTileWidth(name, size) * hashLength
  if (hashes === undefined) throw new LogError('TILE_MISSING', `tile ${name.level}/${name.index}`)
  if (hashes.length < bytes)
    throw new LogError('BAD_TILE', `tile ${name.level}/${name.index} has ${hashes.length} bytes`)
  return hashes.subarray(0, bytes)
}
