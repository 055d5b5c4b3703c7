/**
 * The tree as tiles (C2SP tlog-tiles, height 8). Tile `index` of `level` has up to 256 hashes: of leaves at level 0, otherwise of complete
 * trees with 256^level leaves. A tile only grows at its right end, up to 256 hashes.
 */
import { LogError } from '#domain/audit-log/fault.ts'
import { type Hash, hashLength, hashNode } from '#domain/audit-log/hash.ts'

export const tileHeight = 8
export const tileWidth = 256

export interface TileName {
  level: number
  index: number
}

/** `hashes`: 32 bytes each, concatenated. */
export interface LogTile extends TileName {
  hashes: Uint8Array
}

/** Returns at least the hashes that the tile had at that log size, or undefined if it is not available. */
export type TileReader = (level: number, index: number) => Uint8Array | undefined

/** Returns the hash of the complete subtree with 2^level leaves that starts at leaf `index · 2^level`. */
export type NodeReader = (level: number, index: number) => Hash

/** Returns `size` if it is a safe integer of at least 0, otherwise throws BAD_SIZE. */
export function requireSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new LogError('BAD_SIZE', `${size} is not a valid size of a log`)
  return size
}

const divideAndRoundDown = (dividend: number, divisor: number) => Math.floor(dividend / divisor)

export const countHashes = (level: number, size: number): number => divideAndRoundDown(size, tileWidth ** level)

export function getTileWidth({ level, index }: TileName, size: number): number {
  return Math.max(0, Math.min(tileWidth, countHashes(level, size) - index * tileWidth))
}

/** The partial tiles of a log, by level. They are enough to append leaves and to calculate the root. */
export function listEdgeTiles(size: number): TileName[] {
  const names: TileName[] = []
  for (let level = 0; countHashes(level, requireSize(size)) > 0; level += 1) {
    const count = countHashes(level, size)
    if (count % tileWidth > 0) names.push({ level, index: divideAndRoundDown(count, tileWidth) })
  }
  return names
}

export const getHash = (hashes: Uint8Array, index: number): Hash =>
  hashes.subarray(index * hashLength, (index + 1) * hashLength)

/** Root of hashes whose count is a power of two. */
export function calculateSubtreeRoot(hashes: Uint8Array): Hash {
  let row: Hash[] = Array.from({ length: hashes.length / hashLength }, (_, index) => getHash(hashes, index))
  while (row.length > 1) {
    const parents: Hash[] = []
    for (let i = 0; i + 1 < row.length; i += 2) parents.push(hashNode(row[i] as Hash, row[i + 1] as Hash))
    row = parents
  }
  return row[0] as Hash
}

/** Reads nodes from tiles. Throws TILE_MISSING, or BAD_TILE if a tile is too narrow or not a sequence of hashes. */
export function createNodeReader(readHashes: TileReader): NodeReader {
  return (level, index) => {
    const [tileLevel, height] = [divideAndRoundDown(level, tileHeight), level % tileHeight]
    const start = index * 2 ** height
    const tile = { level: tileLevel, index: divideAndRoundDown(start, tileWidth) }
    const hashes = readHashes(tile.level, tile.index)
    if (hashes === undefined) throw new LogError('TILE_MISSING', `tile ${tile.level}/${tile.index} is missing`)
    const from = (start % tileWidth) * hashLength
    const to = from + 2 ** height * hashLength
    if (hashes.length % hashLength !== 0 || hashes.length > tileWidth * hashLength || to > hashes.length)
      throw new LogError('BAD_TILE', `tile ${tile.level}/${tile.index} has ${hashes.length} bytes`)
    return calculateSubtreeRoot(hashes.subarray(from, to))
  }
}

/** Returns the tiles whose nodes `readNodes` reads, each once, so that they can be fetched first. */
export function listTilesRead(readNodes: (readNode: NodeReader) => unknown): TileName[] {
  const names = new Map<string, TileName>()
  const emptyHash = new Uint8Array(hashLength)
  readNodes((level, index) => {
    const name = {
      level: divideAndRoundDown(level, tileHeight),
      index: divideAndRoundDown(index * 2 ** (level % tileHeight), tileWidth),
    }
    names.set(`${name.level}/${name.index}`, name)
    return emptyHash
  })
  return [...names.values()]
}
