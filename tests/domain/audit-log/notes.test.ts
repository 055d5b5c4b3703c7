import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import {
  checkpointText,
  openCheckpoint,
  openHandover,
  readCheckpoint,
  signCheckpoint,
} from '#domain/audit-log/checkpoint.ts'
import { fingerprintOf, openNote, readVerifierKey, signNote, verifierKeyOf } from '#domain/audit-log/note.ts'
import { codeOf, logOf, otherSigner, signer, signerKey } from './logs.ts'
import { leavesTo } from './reference.ts'

const { root } = logOf(leavesTo(5))
const checkpoint = { origin: 'log.example/7', size: 5, root, epoch: 0 }
const note = signCheckpoint(checkpoint, signer)

describe('the example key and note of the Go package that C2SP took the format from', () => {
  const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const signed = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

  it('opens', () => {
    expect(openNote(signed, readVerifierKey(key))).toBe(text)
    expect(codeOf(() => openNote(signed.replace('answer', 'solution'), readVerifierKey(key)))).toBe('SIGNATURE_INVALID')
  })
})

describe('a signed checkpoint', () => {
  it('is a text of lines, and says what was signed', () => {
    expect(note.split('\n').slice(0, 4)).toEqual(['log.example/7', '5', toBase64(root), ''])
    expect(openCheckpoint(note, signerKey)).toEqual(checkpoint)
    const later = signCheckpoint({ ...checkpoint, epoch: 2 }, signer)
    expect(later.split('\n')[3]).toBe('epoch 2')
    expect(openCheckpoint(later, signerKey).epoch).toBe(2)
  })

  it('is signed as Node sees it too', () => {
    const { publicKey } = readVerifierKey(signerKey)
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey])
    const [text = '', line = ''] = note.split('\n\n')
    const signature = fromBase64(line.trim().split(' ')[2] ?? '')?.slice(4) ?? new Uint8Array()
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    expect(verify(null, Buffer.from(`${text}\n`), key, signature)).toBe(true)
  })

  it('that another key signed does not open, not even one of the same name', () => {
    const foreign = signCheckpoint(checkpoint, otherSigner)
    expect(codeOf(() => openCheckpoint(foreign, signerKey))).toBe('NOT_SIGNED_BY_KEY')
  })

  it('opens by an old key and by the new one that it vouches for', () => {
    const both = signCheckpoint(checkpoint, signer, otherSigner)
    for (const key of [signerKey, verifierKeyOf(otherSigner.name, otherSigner.seed)])
      expect(openCheckpoint(both, key)).toEqual(checkpoint)
  })

  describe('hands over to another key', () => {
    const nextKey = verifierKeyOf(otherSigner.name, otherSigner.seed)
    const handover = signCheckpoint({ ...checkpoint, nextKey }, signer, otherSigner)
    const faultOf = (note: string, known = signerKey, next = nextKey) => codeOf(() => openHandover(note, known, next))

    it('that the known one has named, and that has signed beside it', () => {
      expect(handover.split('\n')[3]).toBe(`next key ${nextKey}`)
      expect(openHandover(handover, signerKey, nextKey)).toEqual({ ...checkpoint, nextKey })
      expect(openCheckpoint(handover, nextKey)).toEqual({ ...checkpoint, nextKey })
      const restored = signCheckpoint({ ...checkpoint, epoch: 3, nextKey }, signer, otherSigner)
      expect(openHandover(restored, signerKey, nextKey).epoch).toBe(3)
    })

    it('and to none that signs alone, or beside a note that does not name it', () => {
      // Whoever can write to the database has genuine notes, and keys of their own.
      expect(faultOf(signCheckpoint({ ...checkpoint, nextKey }, otherSigner))).toBe('NOT_SIGNED_BY_KEY')
      expect(faultOf(signCheckpoint(checkpoint, signer, otherSigner))).toBe('NOT_SIGNED_BY_KEY')
      expect(faultOf(signCheckpoint({ ...checkpoint, nextKey }, signer))).toBe('NOT_SIGNED_BY_KEY')
      expect(faultOf(signCheckpoint({ ...checkpoint, nextKey: signerKey }, signer, otherSigner))).toBe(
        'NOT_SIGNED_BY_KEY',
      )
      const [text, lines = ''] = handover.split('\n\n')
      const ofPlain = note.split('\n\n')[1] ?? ''
      expect(faultOf(`${text}\n\n${ofPlain}${lines.split('\n')[1]}\n`)).toBe('SIGNATURE_INVALID')
      // The new one vouches for nothing of the old one.
      expect(faultOf(handover, nextKey, signerKey)).toBe('NOT_SIGNED_BY_KEY')
    })

    it('of the same log, once', () => {
      const foreign = verifierKeyOf('log.example/8', otherSigner.seed)
      const text = checkpointText(checkpoint)
      for (const more of [
        `next key ${foreign}\n`,
        'next key \n',
        'next key x\n',
        `next key ${nextKey}\nnext key ${signerKey}\n`,
        `next key  ${nextKey}\n`,
        `next key ${nextKey} \n`,
      ])
        expect(
          codeOf(() => readCheckpoint(text + more)),
          more,
        ).toMatch(/^BAD_(CHECKPOINT|KEY)$/)
      expect(codeOf(() => checkpointText({ ...checkpoint, nextKey: foreign }))).toBe('BAD_CHECKPOINT')
      expect(codeOf(() => checkpointText({ ...checkpoint, nextKey: 'x' }))).toBe('BAD_KEY')
    })
  })

  it('does not open when any one character is another', () => {
    for (let at = 0; at < note.length; at += 1)
      for (const other of ['0', 'A', ' ', '\n', '']) {
        const changed = note.slice(0, at) + other + note.slice(at + 1)
        if (changed !== note)
          expect(
            codeOf(() => openCheckpoint(changed, signerKey)),
            `${at} ${other}`,
          ).not.toBeNull()
      }
  })

  it('does not open when it is cut anywhere', () => {
    for (let at = 0; at < note.length; at += 1)
      expect(
        codeOf(() => openCheckpoint(note.slice(0, at), signerKey)),
        `${at}`,
      ).not.toBeNull()
  })

  it.each([
    ['no text', null, 'BAD_NOTE'],
    ['a number', 7, 'BAD_NOTE'],
    ['nothing', '', 'BAD_NOTE'],
    ['no signature', 'log\n5\n\n', 'BAD_NOTE'],
    ['a megabyte', `${'a\n'.repeat(500_000)}\n— a AAAAAAA=\n`, 'BAD_NOTE'],
    ['two hundred signatures', note + (note.split('\n\n')[1] ?? '').repeat(200), 'BAD_NOTE'],
    ['a control character', note.replace('log.example/7\n', 'log\u001b\n'), 'BAD_NOTE'],
    ['a signature without base64', `log\n\n— ${signer.name} ****\n`, 'BAD_NOTE'],
    ['a signature of three bytes', `log\n\n— ${signer.name} AAAA\n`, 'BAD_NOTE'],
    ['a hyphen for the dash', note.replace('—', '-'), 'BAD_NOTE'],
  ])('%s is refused', (_what, hostile, code) => {
    expect(codeOf(() => openCheckpoint(hostile, signerKey))).toBe(code)
  })

  it('whose text is no checkpoint is refused, though it is signed', () => {
    const rootText = toBase64(root)
    for (const text of [
      '\n5\nx\n',
      `log\n05\n${rootText}\n`,
      `log\n-1\n${rootText}\n`,
      `log\n9007199254740993\n${rootText}\n`,
      `log\n99999999999999999999\n${rootText}\n`,
      `log\n5\n${rootText.slice(4)}\n`,
      `log\n5\n${rootText.replace('=', '')}\n`,
      `log\n5\n${rootText}\nepoch 0\n`,
      `log\n5\n${rootText}\nepoch 1\nepoch 2\n`,
      `log\n5\n${rootText}\nepoch x\n`,
      `log\n5\n${rootText}\n\nmore\n`,
      'log\n5\n',
    ])
      expect(
        codeOf(() => openCheckpoint(signNote(text, signer), signerKey)),
        JSON.stringify(text),
      ).toBe('BAD_CHECKPOINT')
    expect(readCheckpoint(`log\n5\n${rootText}\nsomething of later\n`)).toEqual({ ...checkpoint, origin: 'log' })
  })

  it('is not made of what has no text', () => {
    for (const broken of [
      { origin: '' },
      { origin: 'a\nb' },
      { size: -1 },
      { size: 1.5 },
      { epoch: 1.5 },
      { root: new Uint8Array(3) },
    ])
      expect(
        codeOf(() => checkpointText({ ...checkpoint, ...broken })),
        JSON.stringify(broken),
      ).toBe('BAD_CHECKPOINT')
  })
})

describe('a verifier key', () => {
  it('is name, id and key', () => {
    expect(signerKey).toMatch(/^log\.example\/7\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/)
    expect(readVerifierKey(signerKey).name).toBe('log.example/7')
    expect(fingerprintOf(signerKey)).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/)
    expect(fingerprintOf(signerKey)).not.toBe(fingerprintOf(verifierKeyOf(otherSigner.name, otherSigner.seed)))
  })

  it('is refused when any one character is another, or it is cut', () => {
    for (let at = 0; at < signerKey.length; at += 1) {
      const other = signerKey[at] === 'b' ? 'c' : 'b'
      expect(
        codeOf(() => readVerifierKey(signerKey.slice(0, at) + other + signerKey.slice(at + 1))),
        `${at}`,
      ).toBe('BAD_KEY')
      expect(
        codeOf(() => readVerifierKey(signerKey.slice(0, at))),
        `${at}`,
      ).toBe('BAD_KEY')
    }
    for (const hostile of [null, 7, '', '++', 'a'.repeat(100_000)])
      expect(codeOf(() => readVerifierKey(hostile))).toBe('BAD_KEY')
    expect(codeOf(() => verifierKeyOf('a name', signer.seed))).toBe('BAD_KEY')
    expect(codeOf(() => verifierKeyOf('name', new Uint8Array(31)))).toBe('BAD_KEY')
  })
})

describe('base64', () => {
  it('is written as Node writes it and read only so', () => {
    for (const length of [0, 1, 2, 3, 32, 33, 8_191, 8_192, 8_193, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
      const text = toBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(fromBase64(text)).toEqual(bytes)
    }
    for (const other of ['AB', 'AB=', 'A===', 'AA=A', 'AB==', 'AAB=', 'AA AA', 'AAA\n', '-_AA', 'AAAA===='])
      expect(fromBase64(other), other).toBeNull()
  })
})
