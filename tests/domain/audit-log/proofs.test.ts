import { describe, expect, it } from 'vitest'
import { leafHash } from '#domain/audit-log/hash.ts'
import { consistencyFault, consistencyProof, inclusionFault, inclusionProof } from '#domain/audit-log/proofs.ts'
import { nodesOf, tilesReadBy } from '#domain/audit-log/tiles.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { codeOf, flipped, logOf } from './logs.ts'
import { hexOf, leafOf, leavesTo, MTH, PATH, PROOF } from './reference.ts'

/** Roots and readers of the logs of 0 to 130 leaves; older ones read the tiles of the largest. */
const largest = 130
const { read } = logOf(leavesTo(largest))
const roots = Array.from({ length: largest + 1 }, (_, size) => MTH(leavesTo(size)))
const root = (size: number) => roots[size] as Uint8Array
const hexes = (hashes: Uint8Array[]) => hashes.map(hexOf)

describe('the example of RFC 6962, 2.1.3', () => {
  // Leaves d0 to d6; a to f their hashes (j that of d6), g = (a b), h = (c d), i = (e f), k = (g h), l = (i j).
  const d = leavesTo(7)
  const [a, b, c, dd, e, f, j] = d.map(leafHash) as [Uint8Array, ...Uint8Array[]]
  const over = (from: number, to: number) => MTH(d.slice(from, to))
  const [g, h, i, k, l] = [over(0, 2), over(2, 4), over(4, 6), over(0, 4), over(4, 7)]

  it.each([
    [0, [b, h, l]],
    [3, [c, g, l]],
    [4, [f, j, k]],
    [6, [i, k]],
  ])('the path of d%d', (index, expected) => {
    expect(hexes(inclusionProof(index, 7, read))).toEqual(hexes(expected as Uint8Array[]))
  })

  it.each([
    [3, [c, dd, g, l]],
    [4, [l]],
    [6, [i, j, k]],
  ])('the consistency of the log of 7 with that of %d', (size, expected) => {
    expect(hexes(consistencyProof(size, 7, read))).toEqual(hexes(expected as Uint8Array[]))
  })

  it('uses every node of the drawing', () => {
    expect(hexes([a, b, c, dd, e, f, g, h, i, j, k, l] as Uint8Array[]).every((hex) => hex.length === 64)).toBe(true)
  })
})

/** Every one by night; by day the small ones, and those about a power of two, where the tree grows a level. */
const sizes = Array.from({ length: largest }, (_, at) => at + 1).filter(
  (size) => isNight || size <= 24 || [31, 32, 33, 63, 64, 65, 127, 128, 129, 130].includes(size),
)

describe('proofs by the definitions, at sizes up to 130', () => {
  it('inclusion: PATH for each leaf, and each is accepted', () => {
    for (const size of sizes)
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof(index, size, read)
        expect(hexes(proof), `${index} of ${size}`).toEqual(hexes(PATH(index, leavesTo(size))))
        expect(
          inclusionFault({ index, size, leaf: leafHash(leafOf(index)), root: root(size), proof }),
          `${index} of ${size}`,
        ).toBeNull()
      }
  }, 60_000)

  it('consistency: PROOF for each older size, and each is accepted', () => {
    for (const to of sizes)
      for (let from = 1; from <= to; from += 1) {
        const proof = consistencyProof(from, to, read)
        expect(hexes(proof), `${from} to ${to}`).toEqual(hexes(PROOF(from, leavesTo(to))))
        expect(
          consistencyFault({ from, to, fromRoot: root(from), toRoot: root(to), proof }),
          `${from} to ${to}`,
        ).toBeNull()
      }
  }, 60_000)

  it('across full tiles: 70,000 leaves in three levels', () => {
    const log = logOf(leavesTo(70_000), 10_000)
    for (const index of [0, 255, 256, 65_535, 65_536, 69_999]) {
      const claim = { index, size: 70_000, leaf: leafHash(leafOf(index)), root: log.root }
      const proof = inclusionProof(index, 70_000, log.read)
      expect(inclusionFault({ ...claim, proof })).toBeNull()
      expect(inclusionFault({ ...claim, index: index ^ 1, proof })).toBe('ROOT_DIFFERS')
    }
    const before = logOf(leavesTo(300))
    const proof = consistencyProof(300, 70_000, log.read)
    expect(consistencyFault({ from: 300, to: 70_000, fromRoot: before.root, toRoot: log.root, proof })).toBeNull()
    expect(tilesReadBy((tiles) => consistencyProof(300, 70_000, tiles)).length).toBeLessThan(8)
    // The named tiles are enough, and no other is asked for.
    const named = tilesReadBy((tiles) => inclusionProof(300, 70_000, tiles)).map((one) => `${one.level}/${one.index}`)
    expect(named.toSorted()).toEqual(['0/1', '0/273', '1/0', '1/1'])
    const few = nodesOf(
      (level, index) => log.tiles.get(named.find((name) => name === `${level}/${index}`) ?? '')?.hashes,
    )
    expect(hexes(inclusionProof(300, 70_000, few))).toEqual(hexes(inclusionProof(300, 70_000, log.read)))
  }, 60_000)
})

describe('a mutant of a proof is found', () => {
  const size = 100
  it.each([0, 37, 64, 99])('inclusion of leaf %d: leaf, place, size, root, each bit of each hash, count', (index) => {
    const proof = inclusionProof(index, size, read)
    const claim = { index, size, leaf: leafHash(leafOf(index)), root: root(size), proof }
    expect(inclusionFault(claim)).toBeNull()
    expect(inclusionFault({ ...claim, leaf: leafHash(leafOf(index + 1)) })).toBe('ROOT_DIFFERS')
    expect(inclusionFault({ ...claim, root: flipped(claim.root, 31) })).toBe('ROOT_DIFFERS')
    for (let other = 0; other < size; other += 1)
      if (other !== index) expect(inclusionFault({ ...claim, index: other }), `place ${other}`).not.toBeNull()
    proof.forEach((hash, at) => {
      for (let byte = 0; byte < 32; byte += 1)
        expect(inclusionFault({ ...claim, proof: proof.with(at, flipped(hash, byte)) })).toBe('ROOT_DIFFERS')
    })
    const short = inclusionFault({ ...claim, proof: proof.slice(1) })
    expect(short === 'WRONG_COUNT_OF_HASHES' || short === 'ROOT_DIFFERS').toBe(true)
    expect(inclusionFault({ ...claim, proof: [...proof, claim.root] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(inclusionFault({ ...claim, proof: [] })).toBe('WRONG_COUNT_OF_HASHES')
    if (proof.length > 1) expect(inclusionFault({ ...claim, proof: proof.toReversed() })).toBe('ROOT_DIFFERS')
  })

  it.each([1, 37, 64, 99])('consistency from %d: roots, sizes, each bit of each hash, count', (from) => {
    const proof = consistencyProof(from, size, read)
    const claim = { from, to: size, fromRoot: root(from), toRoot: root(size), proof }
    expect(consistencyFault(claim)).toBeNull()
    expect(consistencyFault({ ...claim, fromRoot: flipped(claim.fromRoot, 0) })).not.toBeNull()
    expect(consistencyFault({ ...claim, toRoot: flipped(claim.toRoot, 0) })).toBe('ROOT_DIFFERS')
    for (let other = 1; other < size; other += 1)
      if (other !== from) expect(consistencyFault({ ...claim, from: other }), `from ${other}`).not.toBeNull()
    proof.forEach((hash, at) => {
      for (let byte = 0; byte < 32; byte += 1)
        expect(consistencyFault({ ...claim, proof: proof.with(at, flipped(hash, byte)) })).not.toBeNull()
    })
    expect(consistencyFault({ ...claim, proof: proof.slice(0, -1) })).toBe('WRONG_COUNT_OF_HASHES')
    expect(consistencyFault({ ...claim, proof: [...proof, claim.toRoot] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(consistencyFault({ ...claim, proof: [] })).toBe('WRONG_COUNT_OF_HASHES')
  })

  it('a log with another leaf, in another order, or with its tail cut and written anew is no later one', () => {
    const leaves = leavesTo(80)
    const rewritten = {
      leaf: leaves.with(11, leafOf(1000)),
      order: leaves.with(11, leafOf(12)).with(12, leafOf(11)),
      tail: [...leaves.slice(0, 40), ...leavesTo(200).slice(160)],
    }
    for (const [what, others] of Object.entries(rewritten)) {
      const log = logOf(others)
      const proof = consistencyProof(50, 80, log.read)
      const fault = consistencyFault({ from: 50, to: 80, fromRoot: root(50), toRoot: log.root, proof })
      expect(fault, what).toBe('OLD_ROOT_DIFFERS')
    }
    // A tail that is only cut is a smaller log, or one of the same size with another root.
    expect(consistencyFault({ from: 80, to: 50, fromRoot: root(80), toRoot: root(50), proof: [] })).toBe('LOG_SHRANK')
    const same = { from: 80, to: 80, fromRoot: root(80), toRoot: logOf(rewritten.leaf).root, proof: [] }
    expect(consistencyFault(same)).toBe('ROOT_DIFFERS')
  })
})

describe('what is no proof at all', () => {
  const leaf = leafHash('a')
  it.each([
    ['of an empty log', { index: 0, size: 0 }, 'BAD_INDEX'],
    ['behind the end', { index: 1, size: 1 }, 'BAD_INDEX'],
    ['before the first', { index: -1, size: 4 }, 'BAD_INDEX'],
    ['between two leaves', { index: 0.5, size: 4 }, 'BAD_INDEX'],
    ['in a log of unsafe size', { index: 0, size: 2 ** 53 }, 'BAD_SIZE'],
    ['in a log of no size', { index: 0, size: Number.NaN }, 'BAD_SIZE'],
    ['with a hash of 31 bytes', { index: 0, size: 2, proof: [new Uint8Array(31)] }, 'BAD_HASH'],
    ['of a leaf hash of 33 bytes', { index: 0, size: 2, leaf: new Uint8Array(33), proof: [leaf] }, 'BAD_HASH'],
    [
      'with 100,000 hashes',
      { index: 0, size: 2, proof: Array<Uint8Array>(100_000).fill(leaf) },
      'WRONG_COUNT_OF_HASHES',
    ],
    ['in the largest log', { index: 2 ** 53 - 2, size: 2 ** 53 - 1, proof: [leaf] }, 'WRONG_COUNT_OF_HASHES'],
  ])('inclusion %s', (_what, claim, fault) => {
    expect(inclusionFault({ leaf, root: leaf, proof: [], ...claim })).toBe(fault)
  })

  it.each([
    ['of nothing by a hash', { from: 0, to: 0, proof: [leaf] }, 'WRONG_COUNT_OF_HASHES'],
    ['of nothing with a root', { from: 0, to: 3 }, 'OLD_ROOT_DIFFERS'],
    ['from between two sizes', { from: 1.5, to: 3 }, 'BAD_SIZE'],
    ['to an unsafe size', { from: 1, to: 2 ** 60 }, 'BAD_SIZE'],
    ['by an empty hash', { from: 1, to: 2, proof: [new Uint8Array(0)] }, 'BAD_HASH'],
  ])('consistency %s', (_what, claim, fault) => {
    expect(consistencyFault({ fromRoot: leaf, toRoot: leaf, proof: [], ...claim })).toBe(fault)
  })

  it('none is made for a leaf or a log that is not there', () => {
    expect(codeOf(() => inclusionProof(7, 7, read))).toBe('BAD_INDEX')
    expect(codeOf(() => consistencyProof(8, 7, read))).toBe('LOG_SHRANK')
    expect(codeOf(() => inclusionProof(0, 2 ** 53, read))).toBe('BAD_SIZE')
    expect(codeOf(() => inclusionProof(0, 2 ** 40, read))).toBe('TILE_MISSING')
  })
})
