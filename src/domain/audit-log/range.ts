/**
 * A stretch of the log proven as a whole: with the tiles that hold its leaf hashes, those above them and those at the log's right edge,
 * each tile is checked by the one above, and the edge by the signed root.
 */
import { LogError } from '#domain/audit-log/fault.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import {
  edgeTiles,
  hashAt,
  type Tile,
  type TileName,
  type TileReader,
  tileWidth,
  widthOf,
  wholeRoot,
} from '#domain/audit-log/tiles.ts'
import { rootOfEdge } from '#domain/audit-log/tree.ts'

export interface LogRange {
  from: number
  /** Not included. */
  to: number
  /** Of the whole log. */
  size: number
}

/** The tiles that `checkRange` reads, each once, level by level. */
export function tilesOfRange({ from, to, size }: LogRange): TileName[] {
  const names = new Map<string, TileName>()
  const add = (name: TileName) => names.set(`${name.level}/${name.index}`, name)
  let [first, last] = [from, to - 1]
  for (let level = 0; first <= last; level += 1) {
    first = Math.floor(first / tileWidth)
    last = Math.floor(last / tileWidth)
    for (let index = first; index <= last; index += 1) if (widthOf({ level, index }, size) > 0) add({ level, index })
    if (widthOf({ level, index: last }, size) === 0) break
  }
  for (const name of edgeTiles(size)) add(name)
  return [...names.values()]
}

/**
 * The first tile that is not as the tile above or the root says; null: all of them are. In steps, one a tile, so that whoever runs
 * them can pause in between. Throws TILE_MISSING, BAD_TILE.
 */
export function* checkRange(
  tiles: TileReader,
  range: LogRange & { root: Uint8Array },
): Generator<void, TileName | null> {
  const { size } = range
  const read = (name: TileName): Tile => ({ ...name, hashes: exactly(tiles, name, size) })
  const edge = edgeTiles(size).map(read)
  if (!equalHashes(rootOfEdge({ size, tiles: edge }), range.root)) return edge[0] ?? { level: 0, index: 0 }
  for (const name of tilesOfRange(range)) {
    if (widthOf(name, size) < tileWidth) continue
    const parent = { level: name.level + 1, index: Math.floor(name.index / tileWidth) }
    const said = hashAt(exactly(tiles, parent, size), name.index % tileWidth)
    if (!equalHashes(wholeRoot(exactly(tiles, name, size)), said)) return name
    yield
  }
  return null
}

/** As wide as a log of that size has it, whatever came since. */
function exactly(tiles: TileReader, name: TileName, size: number): Uint8Array {
  const hashes = tiles(name.level, name.index)
  const bytes = widthOf(name, size) * hashBytes
  if (hashes === undefined) throw new LogError('TILE_MISSING', `tile ${name.level}/${name.index}`)
  if (hashes.length < bytes)
    throw new LogError('BAD_TILE', `tile ${name.level}/${name.index} has ${hashes.length} bytes`)
  return hashes.subarray(0, bytes)
}
