/**
 * The tree as tiles (C2SP tlog-tiles, height 8). The tile `index` of `level` holds up to 256 hashes: at level 0 of leaves, above
 * of trees of 256^level leaves that are whole. A tile only grows, at its right end, and ends at 256.
 */
import { LogError } from '#domain/audit-log/fault.ts'
import { type Hash, hashLength, hashNode } from '#domain/audit-log/hash.ts'

export const tileHeight = 8
export const tileWidth = 256

export interface TileName {
  level: number
  index: number
}

/** `hashes`: of 32 bytes each, one after the other. */
export interface LogTile extends TileName {
  hashes: Uint8Array
}

/** The hashes of a tile, at least those that its log had at the size in question; undefined: not here. */
export type TileReader = (level: number, index: number) => Uint8Array | undefined

/** The hash of the whole subtree of 2^level leaves that begins at leaf `index · 2^level`. */
export type NodeReader = (level: number, index: number) => Hash

/** A safe integer from 0 on; else throws. */
export function requireSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new LogError('BAD_SIZE', `${size} is no size of a log`)
  return size
}

const divideAndRoundDown = (dividend: number, divisor: number) => Math.floor(dividend / divisor)

/** How many hashes level `level` of tiles has in a log of `size` leaves. */
export const countHashes = (level: number, size: number): number => divideAndRoundDown(size, tileWidth ** level)

/** How many hashes a tile has in a log of `size` leaves, 0 to 256. */
export function getTileWidth({ level, index }: TileName, size: number): number {
  return Math.max(0, Math.min(tileWidth, countHashes(level, size) - index * tileWidth))
}

/** The tiles that are begun and not full in a log of `size` leaves, by level: with them it can grow and has a root. */
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

/** The root over hashes whose count is a power of two. */
export function calculateSubtreeRoot(hashes: Uint8Array): Hash {
  let row: Hash[] = Array.from({ length: hashes.length / hashLength }, (_, index) => getHash(hashes, index))
  while (row.length > 1) {
    const parents: Hash[] = []
    for (let i = 0; i + 1 < row.length; i += 2) parents.push(hashNode(row[i] as Hash, row[i + 1] as Hash))
    row = parents
  }
  return row[0] as Hash
}

/** Reads nodes from tiles. Throws TILE_MISSING, or BAD_TILE where a tile is no row of hashes or too narrow. */
export function createNodeReader(readHashes: TileReader): NodeReader {
  return (level, index) => {
    const [tileLevel, height] = [divideAndRoundDown(level, tileHeight), level % tileHeight]
    const start = index * 2 ** height
    const tile = { level: tileLevel, index: divideAndRoundDown(start, tileWidth) }
    const hashes = readHashes(tile.level, tile.index)
    if (hashes === undefined) throw new LogError('TILE_MISSING', `tile ${tile.level}/${tile.index}`)
    const from = (start % tileWidth) * hashLength
    const to = from + 2 ** height * hashLength
    if (hashes.length % hashLength !== 0 || hashes.length > tileWidth * hashLength || to > hashes.length)
      throw new LogError('BAD_TILE', `tile ${tile.level}/${tile.index} has ${hashes.length} bytes`)
    return calculateSubtreeRoot(hashes.subarray(from, to))
  }
}

/** The tiles that this work reads nodes of, each once, so that they can be fetched before. */
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
