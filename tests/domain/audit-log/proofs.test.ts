import { describe, expect, it } from 'vitest'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import {
  findConsistencyFault,
  buildConsistencyProof,
  findInclusionFault,
  buildInclusionProof,
} from '#domain/audit-log/proofs.ts'
import { createNodeReader, listTilesRead } from '#domain/audit-log/tiles.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { getErrorCode, flipBit, buildLog } from './test-log.ts'
import { toHex, buildLeaf, buildLeaves, MTH, PATH, PROOF } from './reference.ts'

/** Number of leaves of the largest log. The roots of all logs from 0 leaves on are calculated, and all logs are read from its tiles. */
const largest = 130
const { read } = buildLog(buildLeaves(largest))
const roots = Array.from({ length: largest + 1 }, (_, size) => MTH(buildLeaves(size)))
const getRoot = (size: number) => roots[size] as Uint8Array
const toHexes = (hashes: Uint8Array[]) => hashes.map(toHex)

describe('Proofs of the example in RFC 6962, 2.1.3', () => {
  // The leaves are d0 to d6. Their hashes are a to f, and j is the hash of d6; g = (a b), h = (c d), i = (e f), k = (g h), l = (i j).
  const d = buildLeaves(7)
  const [a, b, c, dd, e, f, j] = d.map(hashLeaf) as [Uint8Array, ...Uint8Array[]]
  const hashRange = (from: number, to: number) => MTH(d.slice(from, to))
  const [g, h, i, k, l] = [hashRange(0, 2), hashRange(2, 4), hashRange(4, 6), hashRange(0, 4), hashRange(4, 7)]

  it.each([
    [0, [b, h, l]],
    [3, [c, g, l]],
    [4, [f, j, k]],
    [6, [i, k]],
  ])('The inclusion proof of d%d is the path of the example', (index, expected) => {
    expect(toHexes(buildInclusionProof(index, 7, read))).toEqual(toHexes(expected as Uint8Array[]))
  })

  it.each([
    [3, [c, dd, g, l]],
    [4, [l]],
    [6, [i, j, k]],
  ])('The consistency proof of 7 leaves with %d leaves is that of the example', (size, expected) => {
    expect(toHexes(buildConsistencyProof(size, 7, read))).toEqual(toHexes(expected as Uint8Array[]))
  })

  it('Each node of the example is a hash of 32 bytes', () => {
    expect(toHexes([a, b, c, dd, e, f, g, h, i, j, k, l] as Uint8Array[]).every((hex) => hex.length === 64)).toBe(true)
  })
})

/** Log sizes to test: all of them by night. By day the small sizes, and those around a power of two, where the tree gets another level. */
const sizes = Array.from({ length: largest }, (_, index) => index + 1).filter(
  (size) => isNight || size <= 24 || [31, 32, 33, 63, 64, 65, 127, 128, 129, 130].includes(size),
)

describe('Proofs by the definitions of RFC 6962, at sizes up to 130', () => {
  it('Each inclusion proof equals PATH of its leaf and is accepted', () => {
    for (const size of sizes)
      for (let index = 0; index < size; index += 1) {
        const proof = buildInclusionProof(index, size, read)
        expect(toHexes(proof), `${index} of ${size}`).toEqual(toHexes(PATH(index, buildLeaves(size))))
        expect(
          findInclusionFault({ index, size, leaf: hashLeaf(buildLeaf(index)), root: getRoot(size), proof }),
          `${index} of ${size}`,
        ).toBeNull()
      }
  }, 60_000)

  it('Each consistency proof equals PROOF of the older size and is accepted', () => {
    for (const to of sizes)
      for (let from = 1; from <= to; from += 1) {
        const proof = buildConsistencyProof(from, to, read)
        expect(toHexes(proof), `${from} to ${to}`).toEqual(toHexes(PROOF(from, buildLeaves(to))))
        expect(
          findConsistencyFault({ from, to, fromRoot: getRoot(from), toRoot: getRoot(to), proof }),
          `${from} to ${to}`,
        ).toBeNull()
      }
  }, 60_000)

  it('Proofs over full tiles are accepted: 70,000 leaves in three levels', () => {
    const log = buildLog(buildLeaves(70_000), 10_000)
    for (const index of [0, 255, 256, 65_535, 65_536, 69_999]) {
      const claim = { index, size: 70_000, leaf: hashLeaf(buildLeaf(index)), root: log.root }
      const proof = buildInclusionProof(index, 70_000, log.read)
      expect(findInclusionFault({ ...claim, proof })).toBeNull()
      expect(findInclusionFault({ ...claim, index: index ^ 1, proof })).toBe('ROOT_DIFFERS')
    }
    const smallerLog = buildLog(buildLeaves(300))
    const proof = buildConsistencyProof(300, 70_000, log.read)
    expect(
      findConsistencyFault({ from: 300, to: 70_000, fromRoot: smallerLog.root, toRoot: log.root, proof }),
    ).toBeNull()
    expect(listTilesRead((tiles) => buildConsistencyProof(300, 70_000, tiles)).length).toBeLessThan(8)
    // The listed tiles are sufficient, and no other tile is read.
    const tileNames = listTilesRead((tiles) => buildInclusionProof(300, 70_000, tiles)).map(
      (tile) => `${tile.level}/${tile.index}`,
    )
    expect(tileNames.toSorted()).toEqual(['0/1', '0/273', '1/0', '1/1'])
    const readNamedTiles = createNodeReader(
      (level, index) => log.tiles.get(tileNames.find((name) => name === `${level}/${index}`) ?? '')?.hashes,
    )
    expect(toHexes(buildInclusionProof(300, 70_000, readNamedTiles))).toEqual(
      toHexes(buildInclusionProof(300, 70_000, log.read)),
    )
  }, 60_000)
})

describe('Changed proofs', () => {
  const size = 100
  it.each([0, 37, 64, 99])('An inclusion proof of leaf %d is rejected after a change of any part', (index) => {
    const proof = buildInclusionProof(index, size, read)
    const claim = { index, size, leaf: hashLeaf(buildLeaf(index)), root: getRoot(size), proof }
    expect(findInclusionFault(claim)).toBeNull()
    expect(findInclusionFault({ ...claim, leaf: hashLeaf(buildLeaf(index + 1)) })).toBe('ROOT_DIFFERS')
    expect(findInclusionFault({ ...claim, root: flipBit(claim.root, 31) })).toBe('ROOT_DIFFERS')
    for (let otherIndex = 0; otherIndex < size; otherIndex += 1)
      if (otherIndex !== index)
        expect(findInclusionFault({ ...claim, index: otherIndex }), `place ${otherIndex}`).not.toBeNull()
    proof.forEach((hash, index) => {
      for (let byte = 0; byte < 32; byte += 1)
        expect(findInclusionFault({ ...claim, proof: proof.with(index, flipBit(hash, byte)) })).toBe('ROOT_DIFFERS')
    })
    const shortProofFault = findInclusionFault({ ...claim, proof: proof.slice(1) })
    expect(shortProofFault === 'WRONG_COUNT_OF_HASHES' || shortProofFault === 'ROOT_DIFFERS').toBe(true)
    expect(findInclusionFault({ ...claim, proof: [...proof, claim.root] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(findInclusionFault({ ...claim, proof: [] })).toBe('WRONG_COUNT_OF_HASHES')
    if (proof.length > 1) expect(findInclusionFault({ ...claim, proof: proof.toReversed() })).toBe('ROOT_DIFFERS')
  })

  it.each([1, 37, 64, 99])('A consistency proof from %d is rejected after a change of any part', (from) => {
    const proof = buildConsistencyProof(from, size, read)
    const claim = { from, to: size, fromRoot: getRoot(from), toRoot: getRoot(size), proof }
    expect(findConsistencyFault(claim)).toBeNull()
    expect(findConsistencyFault({ ...claim, fromRoot: flipBit(claim.fromRoot, 0) })).not.toBeNull()
    expect(findConsistencyFault({ ...claim, toRoot: flipBit(claim.toRoot, 0) })).toBe('ROOT_DIFFERS')
    for (let otherSize = 1; otherSize < size; otherSize += 1)
      if (otherSize !== from)
        expect(findConsistencyFault({ ...claim, from: otherSize }), `from ${otherSize}`).not.toBeNull()
    proof.forEach((hash, index) => {
      for (let byte = 0; byte < 32; byte += 1)
        expect(findConsistencyFault({ ...claim, proof: proof.with(index, flipBit(hash, byte)) })).not.toBeNull()
    })
    expect(findConsistencyFault({ ...claim, proof: proof.slice(0, -1) })).toBe('WRONG_COUNT_OF_HASHES')
    expect(findConsistencyFault({ ...claim, proof: [...proof, claim.toRoot] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(findConsistencyFault({ ...claim, proof: [] })).toBe('WRONG_COUNT_OF_HASHES')
  })

  it('The consistency check rejects a log with a changed leaf, another order or a rewritten or missing end', () => {
    const leaves = buildLeaves(80)
    const rewritten = {
      leaf: leaves.with(11, buildLeaf(1000)),
      order: leaves.with(11, buildLeaf(12)).with(12, buildLeaf(11)),
      tail: [...leaves.slice(0, 40), ...buildLeaves(200).slice(160)],
    }
    for (const [change, changedLeaves] of Object.entries(rewritten)) {
      const log = buildLog(changedLeaves)
      const proof = buildConsistencyProof(50, 80, log.read)
      const fault = findConsistencyFault({ from: 50, to: 80, fromRoot: getRoot(50), toRoot: log.root, proof })
      expect(fault, change).toBe('OLD_ROOT_DIFFERS')
    }
    // If the end is only cut off, the check finds a smaller log, or a log of the same size with another root.
    expect(findConsistencyFault({ from: 80, to: 50, fromRoot: getRoot(80), toRoot: getRoot(50), proof: [] })).toBe(
      'LOG_SHRANK',
    )
    const sameSizeClaim = { from: 80, to: 80, fromRoot: getRoot(80), toRoot: buildLog(rewritten.leaf).root, proof: [] }
    expect(findConsistencyFault(sameSizeClaim)).toBe('ROOT_DIFFERS')
  })
})

describe('Invalid proofs', () => {
  const leaf = hashLeaf('a')
  it.each([
    ['of an empty log', { index: 0, size: 0 }, 'BAD_INDEX'],
    ['of a leaf after the end', { index: 1, size: 1 }, 'BAD_INDEX'],
    ['of a leaf before the first', { index: -1, size: 4 }, 'BAD_INDEX'],
    ['of an index between two leaves', { index: 0.5, size: 4 }, 'BAD_INDEX'],
    ['in a log of unsafe size', { index: 0, size: 2 ** 53 }, 'BAD_SIZE'],
    ['in a log whose size is not a number', { index: 0, size: Number.NaN }, 'BAD_SIZE'],
    ['with a hash of 31 bytes', { index: 0, size: 2, proof: [new Uint8Array(31)] }, 'BAD_HASH'],
    ['of a leaf hash of 33 bytes', { index: 0, size: 2, leaf: new Uint8Array(33), proof: [leaf] }, 'BAD_HASH'],
    [
      'with 100,000 hashes',
      { index: 0, size: 2, proof: Array<Uint8Array>(100_000).fill(leaf) },
      'WRONG_COUNT_OF_HASHES',
    ],
    ['in the largest log', { index: 2 ** 53 - 2, size: 2 ** 53 - 1, proof: [leaf] }, 'WRONG_COUNT_OF_HASHES'],
  ])('An inclusion proof %s is rejected', (_description, claim, fault) => {
    expect(findInclusionFault({ leaf, root: leaf, proof: [], ...claim })).toBe(fault)
  })

  it.each([
    ['from size 0 to 0 with a hash', { from: 0, to: 0, proof: [leaf] }, 'WRONG_COUNT_OF_HASHES'],
    ['from size 0 with the root of another log', { from: 0, to: 3 }, 'OLD_ROOT_DIFFERS'],
    ['from a size that is not an integer', { from: 1.5, to: 3 }, 'BAD_SIZE'],
    ['to an unsafe size', { from: 1, to: 2 ** 60 }, 'BAD_SIZE'],
    ['with an empty hash', { from: 1, to: 2, proof: [new Uint8Array(0)] }, 'BAD_HASH'],
  ])('A consistency proof %s is rejected', (_description, claim, fault) => {
    expect(findConsistencyFault({ fromRoot: leaf, toRoot: leaf, proof: [], ...claim })).toBe(fault)
  })

  it('No proof is built for a leaf or a log that does not exist', () => {
    expect(getErrorCode(() => buildInclusionProof(7, 7, read))).toBe('BAD_INDEX')
    expect(getErrorCode(() => buildConsistencyProof(8, 7, read))).toBe('LOG_SHRANK')
    expect(getErrorCode(() => buildInclusionProof(0, 2 ** 53, read))).toBe('BAD_SIZE')
    expect(getErrorCode(() => buildInclusionProof(0, 2 ** 40, read))).toBe('TILE_MISSING')
  })
})
