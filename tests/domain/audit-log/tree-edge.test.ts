import { describe, expect, it } from 'vitest'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import {
  countHashes,
  listEdgeTiles,
  createNodeReader,
  type LogTile,
  listTilesRead,
  getTileWidth,
} from '#domain/audit-log/tiles.ts'
import { appendLeaves, emptyEdge, calculateRoot, calculateEdgeRoot } from '#domain/audit-log/tree-edge.ts'
import { getErrorCode, buildLog } from './test-log.ts'
import { toHex, buildLeaves, MTH } from './reference.ts'

/** The test leaves of Certificate Transparency, and the roots over the first n of them. */
const ctLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => new Uint8Array(Buffer.from(hex, 'hex')))
const ctRoots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

describe('the root of the log', () => {
  it('equals the published roots of Certificate Transparency at each size', () => {
    expect(ctLeaves.map((_, index) => toHex(buildLog(ctLeaves.slice(0, index + 1)).root))).toEqual(ctRoots)
    expect(toHex(calculateEdgeRoot(emptyEdge))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('equals the definition at every size up to 130 and around full tiles', () => {
    const sizes = [...Array.from({ length: 131 }, (_, index) => index), 255, 256, 257, 511, 512, 513, 1000]
    for (const size of sizes)
      expect(toHex(buildLog(buildLeaves(size)).root), `${size}`).toBe(toHex(MTH(buildLeaves(size))))
  })

  it('is the same for leaves that are appended singly, in batches or at once', () => {
    const leaves = buildLeaves(700)
    const roots = [1, 7, 255, 256, 257, 700].map((batch) => toHex(buildLog(leaves, batch).root))
    expect(new Set(roots)).toEqual(new Set([toHex(MTH(leaves))]))
  })

  it('is the same from all tiles and from the edge', () => {
    const log = buildLog(buildLeaves(600))
    const read = createNodeReader((level, index) => log.tiles.get(`${level}/${index}`)?.hashes)
    expect(toHex(calculateRoot(600, read))).toBe(toHex(log.root))
    // An older size is read from the tiles of the newer one.
    expect(toHex(calculateRoot(300, read))).toBe(toHex(MTH(buildLeaves(300))))
  })
})

describe('log tiles', () => {
  it('are full with 256 hashes, and the level above has one hash for each full tile', () => {
    const { tiles, edge } = buildLog(buildLeaves(70_000), 1000)
    const widths = [...tiles.values()].map(({ level, index, hashes }) => [level, index, hashes.length / 32])
    expect(widths.filter(([level]) => level === 0)).toHaveLength(274)
    for (const [level = 0, index = 0, width] of widths) expect(width).toBe(getTileWidth({ level, index }, 70_000))
    expect([0, 1, 2, 3].map((level) => countHashes(level, 70_000))).toEqual([70_000, 273, 1, 0])
    expect(edge.tiles.map(({ level, index }) => ({ level, index }))).toEqual(listEdgeTiles(70_000))
    expect(listEdgeTiles(70_000)).toEqual([
      { level: 0, index: 273 },
      { level: 1, index: 1 },
      { level: 2, index: 0 },
    ])
    expect(listEdgeTiles(65_536)).toEqual([{ level: 2, index: 0 }])
  })

  it('are returned by an append only if it changed them', () => {
    const { edge } = buildLog(buildLeaves(300))
    const { changedTiles } = appendLeaves(edge, buildLeaves(20).map(hashLeaf))
    expect(changedTiles.map(({ level, index, hashes }) => [level, index, hashes.length / 32])).toEqual([[0, 1, 64]])
    expect(appendLeaves(edge, []).changedTiles).toEqual([])
    const changedOverTwo = appendLeaves(edge, buildLeaves(213).map(hashLeaf)).changedTiles
    expect(changedOverTwo.map(({ level, index, hashes }) => [level, index, hashes.length / 32])).toEqual([
      [0, 1, 256],
      [0, 2, 1],
      [1, 0, 2],
    ])
  })

  it('take a batch of 1,000 leaves in under 500 ms in a large log', () => {
    const { edge } = buildLog(buildLeaves(70_000), 5000)
    const leaves = buildLeaves(1000).map(hashLeaf)
    const start = performance.now()
    appendLeaves(edge, leaves)
    expect(performance.now() - start).toBeLessThan(500)
  })

  it('can be listed by name before a root is calculated from them', () => {
    expect(listTilesRead((read) => calculateRoot(70_000, read))).toEqual([
      { level: 2, index: 0 },
      { level: 1, index: 1 },
      { level: 0, index: 273 },
    ])
  })
})

describe('Invalid edges and tiles', () => {
  it('An edge of another size, or with a broken tile or hash, is rejected', () => {
    const { edge } = buildLog(buildLeaves(300))
    const [first, ...rest] = edge.tiles as [LogTile, ...LogTile[]]
    const cutTile = { ...first, hashes: first.hashes.slice(1) }
    for (const brokenEdge of [
      { ...edge, size: 301 },
      { ...edge, size: 300, tiles: rest },
      { ...edge, tiles: [cutTile, ...rest] },
      { ...edge, tiles: [{ ...first, index: 0 }, ...rest] },
      { ...edge, tiles: [...edge.tiles, first] },
    ]) {
      expect(getErrorCode(() => calculateEdgeRoot(brokenEdge))).toBe('BAD_TILE')
      expect(getErrorCode(() => appendLeaves(brokenEdge, []))).toBe('BAD_TILE')
    }
    expect(getErrorCode(() => appendLeaves(edge, [new Uint8Array(31)]))).toBe('BAD_HASH')
    for (const size of [-1, 1.5, Number.NaN, 2 ** 53]) expect(getErrorCode(() => listEdgeTiles(size))).toBe('BAD_SIZE')
  })

  it('A tile with a wrong number of bytes, too few bytes or none is rejected', () => {
    const findTileError = (hashes: Uint8Array | undefined) => getErrorCode(() => createNodeReader(() => hashes)(3, 4))
    expect(findTileError(undefined)).toBe('TILE_MISSING')
    expect([39 * 32, 40 * 32 + 1, 257 * 32].map((bytes) => findTileError(new Uint8Array(bytes)))).toEqual(
      Array(3).fill('BAD_TILE'),
    )
    expect(findTileError(new Uint8Array(40 * 32))).toBeNull()
  })
})
