/** The command that checks an exported proof without the portal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { fingerprintOf, verifierKeyOf } from '#domain/audit-log/note.ts'
import { inclusionProof } from '#domain/audit-log/proofs.ts'
import { proofFileText } from '#domain/audit-log/proof-file.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { auditLeaf, checkpointOf, logOf, otherSigner, signer, signerKey } from '#tests/domain/audit-log/logs.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-proof-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const script = join(import.meta.dirname, '../../../server/cli/verify-proof.ts')
async function verify(...args: string[]): Promise<[code: number, said: string]> {
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  const [code] = await once(child, 'close')
  return [Number(code), said]
}

const index = 5
function proofOf(leaf: string): string {
  const log = logOf(Array.from({ length: 9 }, (_, at) => (at === index ? leaf : auditLeaf(at))))
  const hashes = inclusionProof(index, 9, log.read)
  return proofFileText({ leaf, index, size: 9, hashes, checkpoint: checkpointOf(log, 2), key: signerKey })
}

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  return name
}

describe('a proof with the key of its log', () => {
  test('is proven, and says who, what, when and in which log', async () => {
    const proof = await file('good.json', proofOf(auditLeaf(5, { actor_company: 'm18', status: -1 })))
    const [code, said] = await verify(proof, '--key', signerKey)
    expect(code, said).toBe(0)
    expect(said.split('\n')).toEqual([
      'PROVEN: this entry stands in the log.',
      'Who:     Li Wei (user 11), of company m18',
      'What:    user update (failed), in the trail of company 7',
      '         UserName: user 5',
      'Changed: email: a@b.example -> 伟@b.example',
      'When:    2026-05-01T00:05:00.000Z',
      'Entry:   5, place 5 (counted from 0)',
      'Log:     log.example/7, 9 entries, restored 2 times',
      `Key:     ${fingerprintOf(signerKey)}`,
      '',
    ])
    // The key may stand in a file.
    expect((await verify(proof, '--key', await file('log.key', `${signerKey}\n`)))[0]).toBe(0)
  })

  test('prints no control character that was recorded', async () => {
    const leaf = auditLeaf(5, { user_name: 'Eve\u001b[2J\u202e', info: { Name: 'a\nPROVEN: something else' } })
    const [code, said] = await verify(await file('control.json', proofOf(leaf)), '--key', signerKey)
    expect(code).toBe(0)
    expect(said).toContain('Who:     Eve\\u{1b}[2J\\u{202e} (user 11)')
    expect(said).toContain('Name: a\\u{a}PROVEN')
    // oxlint-disable-next-line no-control-regex
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })
})

describe('a log whose key was changed', () => {
  const nextKey = verifierKeyOf(otherSigner.name, otherSigner.seed)
  const log = logOf(Array.from({ length: 9 }, (_, at) => auditLeaf(at)))
  const checkpoint = { origin: signer.name, size: 9, root: log.root, epoch: 0 }
  const handover = signCheckpoint({ ...checkpoint, nextKey }, signer, otherSigner)
  const proof = (note: string) =>
    proofFileText({
      leaf: auditLeaf(5),
      index: 5,
      size: 9,
      hashes: inclusionProof(5, 9, log.read),
      checkpoint: note,
      key: nextKey,
    })
  const later = proof(signCheckpoint(checkpoint, otherSigner))

  test('is proven by either key while both sign, and names the next one', async () => {
    const between = await file('between.json', proof(handover))
    const [code, said] = await verify(between, '--key', signerKey)
    expect(code, said).toBe(0)
    expect(said).toContain(`Next:    ${fingerprintOf(nextKey)}, the key that takes its place: ${nextKey}`)
    const [byNext, saidByNext] = await verify(between, '--key', nextKey)
    expect([byNext, saidByNext.includes('Next:')]).toEqual([0, false])
  })

  test('is proven later by the old key and the note in which it handed over, as it stands in the mail', async () => {
    const name = await file('later.json', later)
    expect(await verify(name, '--key', signerKey)).toEqual([
      1,
      expect.stringContaining('NOT PROVEN (NOT_SIGNED_BY_KEY)'),
    ])
    for (const note of [handover, handover.replaceAll('\n', '\r\n'), `${handover}\n${nextKey}\n`]) {
      const [code, said] = await verify(name, '--key', signerKey, '--handover', await file('handover.txt', note))
      expect(code, said).toBe(0)
      expect(said).toContain(`Key:     ${fingerprintOf(nextKey)}`)
    }
  })

  test('is not believed where the old key has not named the new one', async () => {
    const name = await file('later.json', later)
    for (const [note, reason] of [
      [signCheckpoint(checkpoint, signer, otherSigner), 'NOT_SIGNED_BY_KEY'],
      [signCheckpoint({ ...checkpoint, nextKey }, otherSigner), 'NOT_SIGNED_BY_KEY'],
      [signCheckpoint({ ...checkpoint, nextKey }, signer), 'NOT_SIGNED_BY_KEY'],
      ['hello', 'BAD_NOTE'],
      ['', 'BAD_NOTE'],
    ] as const) {
      const given = await file('handover.txt', note)
      expect(await verify(name, '--key', signerKey, '--handover', given), note).toEqual([
        1,
        expect.stringContaining(`NOT PROVEN (${reason})`),
      ])
    }
    expect(await verify(name, '--key', signerKey, '--handover', 'none')).toEqual([
      1,
      expect.stringContaining('no file'),
    ])
  })
})

describe('nothing is proven', () => {
  test('without a key: the file and its key are named, and the command does not succeed', async () => {
    const [code, said] = await verify(await file('nokey.json', proofOf(auditLeaf(5))))
    expect(code).toBe(2)
    expect(said).toContain('NOT CHECKED')
    expect(said).toContain(signerKey)
    expect(said).toContain(fingerprintOf(signerKey))
    expect(said).not.toContain('PROVEN:')
  })

  test('by another key, a changed entry, or hostile files; each says why', async () => {
    const good = proofOf(auditLeaf(5))
    const cases: [string, string, string][] = [
      [good, verifierKeyOf(otherSigner.name, otherSigner.seed), 'NOT_SIGNED_BY_KEY'],
      [good.replace('Li Wei', 'Li Mei'), signerKey, 'ROOT_DIFFERS'],
      [good.replace('\\n9\\n', '\\n8\\n'), signerKey, 'SIGNATURE_INVALID'],
      ['{}', signerKey, 'FILE_FORMAT'],
      ['['.repeat(200_000), signerKey, 'FILE_NO_JSON'],
      [good.replace('"leaf"', '"leaves"'), signerKey, 'FIELD_MISSING'],
      [good.replace('"checkpoint"', '"note"'), signerKey, 'FIELD_MISSING'],
      [good, 'a+b+c', 'BAD_KEY'],
      [good.replace('"index": 5', '"index": 4'), signerKey, 'ROOT_DIFFERS'],
      ['hello', signerKey, 'FILE_NO_JSON'],
      ['\u0000\u0001', signerKey, 'FILE_NO_JSON'],
      ['', signerKey, 'FILE_NO_JSON'],
      ['[[[[', signerKey, 'FILE_NO_JSON'],
    ]
    for (const [text, key, reason] of byDay(cases, 6)) {
      const [code, said] = await verify(await file('hostile.json', text), '--key', key)
      expect([code, said], reason).toEqual([1, expect.stringContaining(`NOT PROVEN (${reason})`)])
    }
  }, 60_000)

  test('by a file of 100 MB, which is not read', async () => {
    const huge = await file('huge.json', '{')
    await truncate(join(folder, huge), 100 * 1024 * 1024)
    expect(await verify(huge, '--key', signerKey)).toEqual([1, expect.stringContaining('NOT PROVEN (FILE_TOO_LARGE)')])
  })

  test('where there is no file, no key file, or the words are not understood', async () => {
    const good = await file('good2.json', proofOf(auditLeaf(5)))
    expect(await verify('none.json', '--key', signerKey)).toEqual([1, expect.stringContaining('There is no file')])
    expect(await verify('.', '--key', signerKey)).toEqual([1, expect.stringContaining('is no file')])
    expect(await verify(good, '--key', 'none.key')).toEqual([1, expect.stringContaining('There is no file')])
    for (const args of byDay([[], [good, '--frob', 'x'], [good, good], [good, '--key']], 2))
      expect(await verify(...args)).toEqual([1, expect.stringContaining('Usage:')])
  })
})
