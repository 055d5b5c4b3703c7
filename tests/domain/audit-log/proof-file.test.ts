import { describe, expect, it } from 'vitest'
import { inclusionProof } from '#domain/audit-log/proofs.ts'
import {
  maxProofFile,
  type ProofFile,
  proofFileText,
  readProofFile,
  verifyProofFile,
} from '#domain/audit-log/proof-file.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import { auditLeaf, checkpointOf, codeOf, logOf, otherSigner, signerKey } from './logs.ts'

/** A log in which one leaf is given; the rest are entries of the trail. */
function fileOf(leaf: string, index = 42): ProofFile {
  const leaves = Array.from({ length: 100 }, (_, at) => auditLeaf(at)).with(index, leaf)
  const log = logOf(leaves)
  const hashes = inclusionProof(index, 100, log.read)
  const checkpoint = checkpointOf(log)
  return readProofFile(proofFileText({ leaf, index, size: 100, hashes, checkpoint, key: signerKey }))
}

const file = fileOf(auditLeaf(42))
const faultOf = (over: Partial<ProofFile>) => {
  const verdict = verifyProofFile({ ...file, ...over }, signerKey)
  return verdict.kind === 'refused' ? verdict.fault : null
}

describe('a proof file', () => {
  it('proves what was recorded, where, and in which log', () => {
    const verdict = verifyProofFile(file, signerKey)
    expect(verdict).toMatchObject({ kind: 'proven', index: 42, checkpoint: { origin: 'log.example/7', size: 100 } })
    if (verdict.kind === 'proven')
      expect(verdict.leaf).toMatchObject({ id: 42, user_name: 'Li Wei', operation: 'update' })
  })

  it('proves nothing by another key, whatever key it names itself', () => {
    const other = verifierKeyOf(otherSigner.name, otherSigner.seed)
    expect(verifyProofFile(file, other)).toMatchObject({ kind: 'refused', fault: 'NOT_SIGNED_BY_KEY' })
    expect(verifyProofFile({ ...file, key: other }, other)).toMatchObject({
      kind: 'refused',
      fault: 'NOT_SIGNED_BY_KEY',
    })
    expect(verifyProofFile(file, 'no key')).toMatchObject({ kind: 'refused', fault: 'BAD_KEY' })
  })

  it('is refused when any one character of the entry, the hashes or the checkpoint is another', () => {
    for (let at = 0; at < file.leaf.length; at += 1)
      expect(faultOf({ leaf: `${file.leaf.slice(0, at)}~${file.leaf.slice(at + 1)}` }), `leaf ${at}`).toBe(
        'ROOT_DIFFERS',
      )
    file.hashes.forEach((hash, which) => {
      for (let at = 0; at < hash.length; at += 1) {
        const other = `${hash.slice(0, at)}${hash[at] === 'A' ? 'B' : 'A'}${hash.slice(at + 1)}`
        expect(faultOf({ hashes: file.hashes.with(which, other) }), `hash ${which} ${at}`).not.toBeNull()
      }
    })
    for (let at = 0; at < file.checkpoint.length; at += 1)
      expect(faultOf({ checkpoint: `${file.checkpoint.slice(0, at)}#${file.checkpoint.slice(at + 1)}` })).not.toBeNull()
  })

  it('is refused for another place or size, and with more or fewer hashes', () => {
    for (let index = 0; index < 100; index += 1) if (index !== 42) expect(faultOf({ index }), `${index}`).not.toBeNull()
    expect([-1, 100, 1.5, 2 ** 60].map((index) => faultOf({ index }))).toEqual(Array(4).fill('BAD_INDEX'))
    expect([99, 101, -1, 2 ** 60].map((size) => faultOf({ size }))).toEqual(Array(4).fill('BAD_SIZE'))
    expect(faultOf({ hashes: file.hashes.slice(1) })).not.toBeNull()
    expect(faultOf({ hashes: [] })).toBe('WRONG_COUNT_OF_HASHES')
    expect(faultOf({ hashes: Array<string>(10_000).fill(file.hashes[0] ?? '') })).toBe('WRONG_COUNT_OF_HASHES')
    expect(faultOf({ hashes: file.hashes.with(0, 'AAAA') })).toBe('BAD_HASH')
  })

  it.each([
    ['with a field twice', auditLeaf(42).replace('{', '{"user_name":"Eve",'), 'LEAF_NOT_CANONICAL'],
    ['that is no JSON', 'hello', 'LEAF_NOT_CANONICAL'],
    ['that is no entry', '{"v":1}', 'LEAF_UNREADABLE'],
    ['with an unknown menu', auditLeaf(42).replace('"code":"user"', '"code":"root"'), 'LEAF_UNREADABLE'],
    ['with changes of another kind', auditLeaf(42).replace(/"changes":\[.*?\]/, '"changes":[7]'), 'LEAF_UNREADABLE'],
  ])('proves no entry %s, though the log has it', (_what, leaf, fault) => {
    expect(verifyProofFile(fileOf(leaf), signerKey)).toMatchObject({ kind: 'refused', fault })
  })
})

describe('a file that is no proof', () => {
  const text = (over: object) => JSON.stringify({ ...file, ...over })
  it.each([
    ['no JSON', 'hello', 'FILE_NO_JSON'],
    ['nothing', '', 'FILE_NO_JSON'],
    ['a list', '[]', 'FILE_FORMAT'],
    ['null', 'null', 'FILE_FORMAT'],
    ['another format', '{"format":"zip","v":1}', 'FILE_FORMAT'],
    ['a later version', text({ v: 2 }), 'FILE_FORMAT'],
    ['too large', ' '.repeat(maxProofFile + 1), 'FILE_TOO_LARGE'],
    ...['leaf', 'index', 'size', 'hashes', 'checkpoint', 'key'].map((field) => [
      `without ${field}`,
      text({ [field]: undefined }),
      'FIELD_MISSING',
    ]),
    ['with hashes that are numbers', text({ hashes: [1, 2] }), 'FIELD_MISSING'],
    ['with an index in words', text({ index: '42' }), 'FIELD_MISSING'],
    ['with a broken key', text({ key: 'x' }), 'BAD_KEY'],
  ])('%s', (_what, content, code) => {
    expect(codeOf(() => readProofFile(content as string))).toBe(code)
  })
})
