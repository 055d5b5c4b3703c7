/** Tests of the command that checks an exported proof without the portal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { getFingerprint, createVerifierKey } from '#domain/audit-log/note.ts'
import { buildInclusionProof } from '#domain/audit-log/proofs.ts'
import { formatProofFile } from '#domain/audit-log/proof-file.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import {
  buildAuditLeaf,
  buildCheckpoint,
  buildLog,
  otherSigner,
  signer,
  signerKey,
} from '#tests/domain/audit-log/test-log.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-proof-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const script = join(import.meta.dirname, '../../../server/cli/verify-proof.ts')
async function runVerify(...args: string[]): Promise<[code: number, output: string]> {
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  return [Number(code), output]
}

const index = 5
function buildProofText(leaf: string): string {
  const log = buildLog(
    Array.from({ length: 9 }, (_, leafIndex) => (leafIndex === index ? leaf : buildAuditLeaf(leafIndex))),
  )
  const hashes = buildInclusionProof(index, 9, log.read)
  return formatProofFile({ leaf, index, size: 9, hashes, checkpoint: buildCheckpoint(log, 2), key: signerKey })
}

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  return name
}

describe('verify-proof with the key of the log', () => {
  test('proves an entry, and prints who did what, when, and in which log', async () => {
    const proofPath = await file('good.json', buildProofText(buildAuditLeaf(5, { actor_company: 'm18', status: -1 })))
    const [code, output] = await runVerify(proofPath, '--key', signerKey)
    expect(code, output).toBe(0)
    expect(output.split('\n')).toEqual([
      'PROVEN: this entry is in the log.',
      'Who:     Li Wei (user 11), of company m18',
      'What:    user update (failed), in the trail of company 7',
      '         UserName: user 5',
      'Changed: email: a@b.example -> 伟@b.example',
      'When:    2026-05-01T00:05:00.000Z',
      'Entry:   5, position 5 (counted from 0)',
      'Log:     log.example/7, 9 entries, restored 2 times',
      `Key:     ${getFingerprint(signerKey)}`,
      '',
    ])
    // The key can also be read from a file.
    expect((await runVerify(proofPath, '--key', await file('log.key', `${signerKey}\n`)))[0]).toBe(0)
  })

  test('escapes control characters in recorded values', async () => {
    const leaf = buildAuditLeaf(5, { user_name: 'Eve\u001b[2J\u202e', info: { Name: 'a\nPROVEN: something else' } })
    const [code, output] = await runVerify(await file('control.json', buildProofText(leaf)), '--key', signerKey)
    expect(code).toBe(0)
    expect(output).toContain('Who:     Eve\\u{1b}[2J\\u{202e} (user 11)')
    expect(output).toContain('Name: a\\u{a}PROVEN')
    // oxlint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })
})

describe("verify-proof after a change of the log's key", () => {
  const nextKey = createVerifierKey(otherSigner.name, otherSigner.seed)
  const log = buildLog(Array.from({ length: 9 }, (_, index) => buildAuditLeaf(index)))
  const checkpoint = { origin: signer.name, size: 9, root: log.root, epoch: 0 }
  const handover = signCheckpoint({ ...checkpoint, nextKey }, signer, otherSigner)
  const buildProof = (note: string) =>
    formatProofFile({
      leaf: buildAuditLeaf(5),
      index: 5,
      size: 9,
      hashes: buildInclusionProof(5, 9, log.read),
      checkpoint: note,
      key: nextKey,
    })
  const laterProof = buildProof(signCheckpoint(checkpoint, otherSigner))

  test('proves an entry with either key while both keys sign, and prints the next key', async () => {
    const proofPath = await file('between.json', buildProof(handover))
    const [code, output] = await runVerify(proofPath, '--key', signerKey)
    expect(code, output).toBe(0)
    expect(output).toContain(`Next:    ${getFingerprint(nextKey)}, the next key: ${nextKey}`)
    const [nextKeyCode, nextKeyOutput] = await runVerify(proofPath, '--key', nextKey)
    expect([nextKeyCode, nextKeyOutput.includes('Next:')]).toEqual([0, false])
  })

  test('proves a later entry with the old key and the mailed handover note', async () => {
    const name = await file('later.json', laterProof)
    expect(await runVerify(name, '--key', signerKey)).toEqual([
      1,
      expect.stringContaining('NOT PROVEN (NOT_SIGNED_BY_KEY)'),
    ])
    for (const note of [handover, handover.replaceAll('\n', '\r\n'), `${handover}\n${nextKey}\n`]) {
      const [code, output] = await runVerify(name, '--key', signerKey, '--handover', await file('handover.txt', note))
      expect(code, output).toBe(0)
      expect(output).toContain(`Key:     ${getFingerprint(nextKey)}`)
    }
  })

  test('rejects a handover note in which the old key does not name the new key', async () => {
    const name = await file('later.json', laterProof)
    for (const [note, reason] of [
      [signCheckpoint(checkpoint, signer, otherSigner), 'NOT_SIGNED_BY_KEY'],
      [signCheckpoint({ ...checkpoint, nextKey }, otherSigner), 'NOT_SIGNED_BY_KEY'],
      [signCheckpoint({ ...checkpoint, nextKey }, signer), 'NOT_SIGNED_BY_KEY'],
      ['hello', 'BAD_NOTE'],
      ['', 'BAD_NOTE'],
    ] as const) {
      const handoverPath = await file('handover.txt', note)
      expect(await runVerify(name, '--key', signerKey, '--handover', handoverPath), note).toEqual([
        1,
        expect.stringContaining(`NOT PROVEN (${reason})`),
      ])
    }
    expect(await runVerify(name, '--key', signerKey, '--handover', 'none')).toEqual([
      1,
      expect.stringContaining('Could not read the file'),
    ])
  })
})

describe('verify-proof with unusable input', () => {
  test("exits with 2 and prints the fingerprint of the file's key if no key is given", async () => {
    const [code, output] = await runVerify(await file('nokey.json', buildProofText(buildAuditLeaf(5))))
    expect(code).toBe(2)
    expect(output).toContain('NOT CHECKED')
    expect(output).toContain(signerKey)
    expect(output).toContain(getFingerprint(signerKey))
    expect(output).not.toContain('PROVEN:')
  })

  test('rejects another key, a changed entry and hostile files, and prints the reason', async () => {
    const goodProof = buildProofText(buildAuditLeaf(5))
    const cases: [string, string, string][] = [
      [goodProof, createVerifierKey(otherSigner.name, otherSigner.seed), 'NOT_SIGNED_BY_KEY'],
      [goodProof.replace('Li Wei', 'Li Mei'), signerKey, 'ROOT_DIFFERS'],
      [goodProof.replace('\\n9\\n', '\\n8\\n'), signerKey, 'SIGNATURE_INVALID'],
      ['{}', signerKey, 'FILE_FORMAT'],
      ['['.repeat(200_000), signerKey, 'FILE_NO_JSON'],
      [goodProof.replace('"leaf"', '"leaves"'), signerKey, 'FIELD_MISSING'],
      [goodProof.replace('"checkpoint"', '"note"'), signerKey, 'FIELD_MISSING'],
      [goodProof, 'a+b+c', 'BAD_KEY'],
      [goodProof.replace('"index": 5', '"index": 4'), signerKey, 'ROOT_DIFFERS'],
      ['hello', signerKey, 'FILE_NO_JSON'],
      ['\u0000\u0001', signerKey, 'FILE_NO_JSON'],
      ['', signerKey, 'FILE_NO_JSON'],
      ['[[[[', signerKey, 'FILE_NO_JSON'],
    ]
    for (const [text, key, reason] of limitByDay(cases, 6)) {
      const [code, output] = await runVerify(await file('hostile.json', text), '--key', key)
      expect([code, output], reason).toEqual([1, expect.stringContaining(`NOT PROVEN (${reason})`)])
    }
  }, 60_000)

  test('rejects a file of 100 MB without reading it', async () => {
    const hugePath = await file('huge.json', '{')
    await truncate(join(folder, hugePath), 100 * 1024 * 1024)
    expect(await runVerify(hugePath, '--key', signerKey)).toEqual([
      1,
      expect.stringContaining('NOT PROVEN (FILE_TOO_LARGE)'),
    ])
  })

  test('reports a missing file, a missing key file and invalid arguments', async () => {
    const goodPath = await file('good2.json', buildProofText(buildAuditLeaf(5)))
    expect(await runVerify('none.json', '--key', signerKey)).toEqual([
      1,
      expect.stringContaining('Could not read the file'),
    ])
    expect(await runVerify('.', '--key', signerKey)).toEqual([1, expect.stringContaining('is not a file')])
    expect(await runVerify(goodPath, '--key', 'none.key')).toEqual([
      1,
      expect.stringContaining('Could not read the file'),
    ])
    for (const args of limitByDay([[], [goodPath, '--frob', 'x'], [goodPath, goodPath], [goodPath, '--key']], 2))
      expect(await runVerify(...args)).toEqual([1, expect.stringContaining('Usage:')])
  })
})
