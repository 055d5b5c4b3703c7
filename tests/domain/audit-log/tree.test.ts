import { describe, expect, it } from 'vitest'
import { leafHash } from '#domain/audit-log/hash.ts'
import { countAt, edgeTiles, nodesOf, type Tile, tilesReadBy, widthOf } from '#domain/audit-log/tiles.ts'
import { appendLeaves, emptyEdge, rootOf, rootOfEdge } from '#domain/audit-log/tree.ts'
import { codeOf, logOf } from './logs.ts'
import { hexOf, leavesTo, MTH } from './reference.ts'

/** The leaves that the tests of Certificate Transparency use, and the roots over the first n of them. */
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
  it('is that of the known leaves of Certificate Transparency, at each size', () => {
    expect(ctLeaves.map((_, at) => hexOf(logOf(ctLeaves.slice(0, at + 1)).root))).toEqual(ctRoots)
    expect(hexOf(rootOfEdge(emptyEdge))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('is what the definition says, at every size up to 130 and around full tiles', () => {
    const sizes = [...Array.from({ length: 131 }, (_, at) => at), 255, 256, 257, 511, 512, 513, 1000]
    for (const size of sizes) expect(hexOf(logOf(leavesTo(size)).root), `${size}`).toBe(hexOf(MTH(leavesTo(size))))
  })

  it('is the same however the leaves came: one by one, in batches, at once', () => {
    const leaves = leavesTo(700)
    const roots = [1, 7, 255, 256, 257, 700].map((batch) => hexOf(logOf(leaves, batch).root))
    expect(new Set(roots)).toEqual(new Set([hexOf(MTH(leaves))]))
  })

  it('follows from all tiles as from the edge alone', () => {
    const log = logOf(leavesTo(600))
    const read = nodesOf((level, index) => log.tiles.get(`${level}/${index}`)?.hashes)
    expect(hexOf(rootOf(600, read))).toBe(hexOf(log.root))
    // An older size is read from the tiles of the newer.
    expect(hexOf(rootOf(300, read))).toBe(hexOf(MTH(leavesTo(300))))
  })
})

describe('tiles', () => {
  it('are full at 256 hashes, and a tile above has one hash for each full one', () => {
    const { tiles, edge } = logOf(leavesTo(70_000), 1000)
    const widths = [...tiles.values()].map(({ level, index, hashes }) => [level, index, hashes.length / 32])
    expect(widths.filter(([level]) => level === 0)).toHaveLength(274)
    for (const [level = 0, index = 0, width] of widths) expect(width).toBe(widthOf({ level, index }, 70_000))
    expect([0, 1, 2, 3].map((level) => countAt(level, 70_000))).toEqual([70_000, 273, 1, 0])
    expect(edge.tiles.map(({ level, index }) => ({ level, index }))).toEqual(edgeTiles(70_000))
    expect(edgeTiles(70_000)).toEqual([
      { level: 0, index: 273 },
      { level: 1, index: 1 },
      { level: 2, index: 0 },
    ])
    expect(edgeTiles(65_536)).toEqual([{ level: 2, index: 0 }])
  })

  it('that an append changes are told, no others', () => {
    const { edge } = logOf(leavesTo(300))
    const { changed } = appendLeaves(edge, leavesTo(20).map(leafHash))
    expect(changed.map(({ level, index, hashes }) => [level, index, hashes.length / 32])).toEqual([[0, 1, 64]])
    expect(appendLeaves(edge, []).changed).toEqual([])
    const over = appendLeaves(edge, leavesTo(213).map(leafHash)).changed
    expect(over.map(({ level, index, hashes }) => [level, index, hashes.length / 32])).toEqual([
      [0, 1, 256],
      [0, 2, 1],
      [1, 0, 2],
    ])
  })

  it('a batch of 1,000 takes a small part of a second however large the log is', () => {
    const { edge } = logOf(leavesTo(70_000), 5000)
    const leaves = leavesTo(1000).map(leafHash)
    const start = performance.now()
    appendLeaves(edge, leaves)
    expect(performance.now() - start).toBeLessThan(500)
  })

  it('are read by name before a proof is made', () => {
    expect(tilesReadBy((read) => rootOf(70_000, read))).toEqual([
      { level: 2, index: 0 },
      { level: 1, index: 1 },
      { level: 0, index: 273 },
    ])
  })
})

describe('what does not fit', () => {
  it('an edge of another size, a tile that is cut or missing, a hash of another length', () => {
    const { edge } = logOf(leavesTo(300))
    const [first, ...rest] = edge.tiles as [Tile, ...Tile[]]
    const cut = { ...first, hashes: first.hashes.slice(1) }
    for (const broken of [
      { ...edge, size: 301 },
      { ...edge, size: 300, tiles: rest },
      { ...edge, tiles: [cut, ...rest] },
      { ...edge, tiles: [{ ...first, index: 0 }, ...rest] },
      { ...edge, tiles: [...edge.tiles, first] },
    ]) {
      expect(codeOf(() => rootOfEdge(broken))).toBe('BAD_TILE')
      expect(codeOf(() => appendLeaves(broken, []))).toBe('BAD_TILE')
    }
    expect(codeOf(() => appendLeaves(edge, [new Uint8Array(31)]))).toBe('BAD_HASH')
    for (const size of [-1, 1.5, Number.NaN, 2 ** 53]) expect(codeOf(() => edgeTiles(size))).toBe('BAD_SIZE')
  })

  it('a tile of odd bytes, too few of them, or none', () => {
    const tile = (hashes: Uint8Array | undefined) => codeOf(() => nodesOf(() => hashes)(3, 4))
    expect(tile(undefined)).toBe('TILE_MISSING')
    expect([39 * 32, 40 * 32 + 1, 257 * 32].map((bytes) => tile(new Uint8Array(bytes)))).toEqual(
      Array(3).fill('BAD_TILE'),
    )
    expect(tile(new Uint8Array(40 * 32))).toBeNull()
  })
})
