import { describe, expect, it } from 'vitest'
import { checkRange, listRangeTiles } from '#domain/audit-log/range.ts'
import type { TileName } from '#domain/audit-log/tiles.ts'
import { getErrorCode, flipBit, buildLog, type TestLog } from './test-log.ts'
import { buildLeaves } from './reference.ts'

const size = 66_000
const largeLog = buildLog(buildLeaves(size), 10_000)
const formatTileName = ({ level, index }: TileName) => `${level}/${index}`

/** Returns the result of `checkRange` with only the tiles that the range names, some of them changed. */
function checkTestRange(
  log: TestLog,
  range: { from: number; to: number },
  changedTiles: Record<string, Uint8Array | undefined> = {},
) {
  const names = new Set(listRangeTiles({ ...range, size: log.edge.size }).map(formatTileName))
  const read = (level: number, index: number) => {
    const name = `${level}/${index}`
    if (!names.has(name)) return undefined
    return name in changedTiles ? changedTiles[name] : log.tiles.get(name)?.hashes
  }
  const steps = checkRange(read, { ...range, size: log.edge.size, root: log.root })
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

describe('a range of the log', () => {
  it('needs the tiles over its leaves, the tiles above them and the edge, and no others', () => {
    expect(listRangeTiles({ from: 300, to: 1_000, size }).map(formatTileName).toSorted()).toEqual(
      ['0/1', '0/2', '0/3', '0/257', '1/0', '1/1', '2/0'].toSorted(),
    )
    expect(listRangeTiles({ from: 5, to: 5, size: 10 }).map(formatTileName)).toEqual(['0/0'])
    expect(listRangeTiles({ from: 0, to: 0, size: 0 })).toEqual([])
  })

  it.each([
    [0, size],
    [300, 1_000],
    [65_000, size],
    [65_536, 65_537],
    [0, 1],
  ])('is proven from %d to %d', (from, to) => {
    expect(checkTestRange(largeLog, { from, to })).toBeNull()
  })

  it('is proven in logs of many sizes up to 600, with one leaf and with all leaves', () => {
    for (const count of [1, 2, 255, 256, 257, 511, 512, 513, 600]) {
      const log = buildLog(buildLeaves(count))
      for (const range of [
        { from: 0, to: count },
        { from: count - 1, to: count },
        { from: 0, to: 1 },
      ])
        expect(checkTestRange(log, range), `${range.from} to ${range.to} of ${count}`).toBeNull()
    }
  })

  it('is rejected if one of its tiles is changed, and a changed leaf tile is named', () => {
    const range = { from: 300, to: 1_000 }
    for (const name of listRangeTiles({ ...range, size })) {
      const tile = largeLog.tiles.get(formatTileName(name))?.hashes ?? new Uint8Array()
      for (const index of [0, tile.length - 1]) {
        const wrongTile = checkTestRange(largeLog, range, { [formatTileName(name)]: flipBit(tile, index) })
        expect(wrongTile, `${formatTileName(name)} at ${index}`).not.toBeNull()
        if (name.level === 0 && name.index < 4 && index < 32) expect(wrongTile).toEqual(name)
      }
    }
  })

  it('is rejected if a tile is missing or truncated', () => {
    const range = { from: 300, to: 1_000 }
    for (const name of listRangeTiles({ ...range, size }).map(formatTileName)) {
      const cutTile = largeLog.tiles.get(name)?.hashes.slice(32)
      expect(
        getErrorCode(() => checkTestRange(largeLog, range, { [name]: undefined })),
        name,
      ).toBe('TILE_MISSING')
      expect(
        getErrorCode(() => checkTestRange(largeLog, range, { [name]: cutTile })),
        name,
      ).toBe('BAD_TILE')
    }
  })

  it('is proven with tiles of a larger log, up to the signed size', () => {
    const laterLog = buildLog(buildLeaves(700))
    const earlierLog = buildLog(buildLeaves(600))
    const read = (level: number, index: number) => laterLog.tiles.get(`${level}/${index}`)?.hashes
    expect(checkRange(read, { from: 0, to: 600, size: 600, root: earlierLog.root }).next()).toMatchObject({
      done: false,
    })
    expect([...checkRange(read, { from: 0, to: 600, size: 600, root: earlierLog.root })]).toHaveLength(2)
  })
})
