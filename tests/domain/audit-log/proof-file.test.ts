import { describe, expect, it } from 'vitest'
import { buildInclusionProof } from '#domain/audit-log/proofs.ts'
import {
  maxProofFileLength,
  type ProofFile,
  formatProofFile,
  readProofFile,
  verifyProofFile,
} from '#domain/audit-log/proof-file.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import { buildAuditLeaf, buildCheckpoint, getErrorCode, buildLog, otherSigner, signerKey } from './test-log.ts'

/** Builds the proof file of the given leaf, in a log whose other leaves are audit entries. */
function buildProofFile(leaf: string, index = 42): ProofFile {
  const leaves = Array.from({ length: 100 }, (_, index) => buildAuditLeaf(index)).with(index, leaf)
  const log = buildLog(leaves)
  const hashes = buildInclusionProof(index, 100, log.read)
  const checkpoint = buildCheckpoint(log)
  return readProofFile(formatProofFile({ leaf, index, size: 100, hashes, checkpoint, key: signerKey }))
}

const file = buildProofFile(buildAuditLeaf(42))
const findFault = (fields: Partial<ProofFile>) => {
  const verdict = verifyProofFile({ ...file, ...fields }, signerKey)
  return verdict.kind === 'refused' ? verdict.fault : null
}

describe('verifyProofFile', () => {
  it('proves what was recorded, at which index and in which log', () => {
    const verdict = verifyProofFile(file, signerKey)
    expect(verdict).toMatchObject({ kind: 'proven', index: 42, checkpoint: { origin: 'log.example/7', size: 100 } })
    if (verdict.kind === 'proven')
      expect(verdict.leaf).toMatchObject({ id: 42, user_name: 'Li Wei', operation: 'update' })
  })

  it('rejects another key, even if the file itself names that key', () => {
    const otherKey = createVerifierKey(otherSigner.name, otherSigner.seed)
    expect(verifyProofFile(file, otherKey)).toMatchObject({ kind: 'refused', fault: 'NOT_SIGNED_BY_KEY' })
    expect(verifyProofFile({ ...file, key: otherKey }, otherKey)).toMatchObject({
      kind: 'refused',
      fault: 'NOT_SIGNED_BY_KEY',
    })
    expect(verifyProofFile(file, 'no key')).toMatchObject({ kind: 'refused', fault: 'BAD_KEY' })
  })

  it('rejects any changed character of the entry, the hashes or the checkpoint', () => {
    for (let index = 0; index < file.leaf.length; index += 1)
      expect(findFault({ leaf: `${file.leaf.slice(0, index)}~${file.leaf.slice(index + 1)}` }), `leaf ${index}`).toBe(
        'ROOT_DIFFERS',
      )
    file.hashes.forEach((hash, hashIndex) => {
      for (let index = 0; index < hash.length; index += 1) {
        const changedHash = `${hash.slice(0, index)}${hash[index] === 'A' ? 'B' : 'A'}${hash.slice(index + 1)}`
        expect(
          findFault({ hashes: file.hashes.with(hashIndex, changedHash) }),
          `hash ${hashIndex} ${index}`,
        ).not.toBeNull()
      }
    })
    for (let index = 0; index < file.checkpoint.length; index += 1)
      expect(
        findFault({ checkpoint: `${file.checkpoint.slice(0, index)}#${file.checkpoint.slice(index + 1)}` }),
      ).not.toBeNull()
  })

  it('rejects another index or size, and missing or additional hashes', () => {
    for (let index = 0; index < 100; index += 1)
      if (index !== 42) expect(findFault({ index }), `${index}`).not.toBeNull()
    expect([-1, 100, 1.5, 2 ** 60].map((index) => findFault({ index }))).toEqual(Array(4).fill('BAD_INDEX'))
    expect([99, 101, -1, 2 ** 60].map((size) => findFault({ size }))).toEqual(Array(4).fill('BAD_SIZE'))
    expect(findFault({ hashes: file.hashes.slice(1) })).not.toBeNull()
    expect(findFault({ hashes: [] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(findFault({ hashes: Array<string>(10_000).fill(file.hashes[0] ?? '') })).toBe('WRONG_COUNT_OF_HASHES')
    expect(findFault({ hashes: file.hashes.with(0, 'AAAA') })).toBe('BAD_HASH')
  })

  it.each([
    ['with a field twice', buildAuditLeaf(42).replace('{', '{"user_name":"Eve",'), 'LEAF_NOT_CANONICAL'],
    ['that is not JSON', 'hello', 'LEAF_NOT_CANONICAL'],
    ['that is not an audit entry', '{"v":1}', 'LEAF_UNREADABLE'],
    ['with an unknown menu', buildAuditLeaf(42).replace('"code":"user"', '"code":"root"'), 'LEAF_UNREADABLE'],
    [
      'with changes of another type',
      buildAuditLeaf(42).replace(/"changes":\[.*?\]/, '"changes":[7]'),
      'LEAF_UNREADABLE',
    ],
  ])('rejects an entry %s, even if the log contains it', (_description, leaf, fault) => {
    expect(verifyProofFile(buildProofFile(leaf), signerKey)).toMatchObject({ kind: 'refused', fault })
  })
})

describe('readProofFile', () => {
  const formatFile = (fields: object) => JSON.stringify({ ...file, ...fields })
  it.each([
    ['text that is not JSON', 'hello', 'FILE_NO_JSON'],
    ['an empty file', '', 'FILE_NO_JSON'],
    ['a list', '[]', 'FILE_FORMAT'],
    ['null', 'null', 'FILE_FORMAT'],
    ['another format', '{"format":"zip","v":1}', 'FILE_FORMAT'],
    ['a later version', formatFile({ v: 2 }), 'FILE_FORMAT'],
    ['too large', ' '.repeat(maxProofFileLength + 1), 'FILE_TOO_LARGE'],
    ...['leaf', 'index', 'size', 'hashes', 'checkpoint', 'key'].map((field) => [
      `without ${field}`,
      formatFile({ [field]: undefined }),
      'FIELD_MISSING',
    ]),
    ['with hashes that are numbers', formatFile({ hashes: [1, 2] }), 'FIELD_MISSING'],
    ['with an index as text', formatFile({ index: '42' }), 'FIELD_MISSING'],
    ['with a broken key', formatFile({ key: 'x' }), 'BAD_KEY'],
  ])('rejects a file with this fault: %s', (_description, content, code) => {
    expect(getErrorCode(() => readProofFile(content as string))).toBe(code)
  })
})
