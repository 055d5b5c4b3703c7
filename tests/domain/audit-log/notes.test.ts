import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import {
  formatCheckpoint,
  openCheckpoint,
  openHandover,
  readCheckpoint,
  signCheckpoint,
} from '#domain/audit-log/checkpoint.ts'
import { getFingerprint, openNote, readVerifierKey, signNote, createVerifierKey } from '#domain/audit-log/note.ts'
import { getErrorCode, buildLog, otherSigner, signer, signerKey } from './test-log.ts'
import { buildLeaves } from './reference.ts'

const { root } = buildLog(buildLeaves(5))
const checkpoint = { origin: 'log.example/7', size: 5, root, epoch: 0 }
const note = signCheckpoint(checkpoint, signer)

describe('openNote with the example of the Go package from which C2SP took the format', () => {
  const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const signedNote = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

  it('opens the example, and rejects a changed text', () => {
    expect(openNote(signedNote, readVerifierKey(key))).toBe(text)
    expect(getErrorCode(() => openNote(signedNote.replace('answer', 'solution'), readVerifierKey(key)))).toBe(
      'SIGNATURE_INVALID',
    )
  })
})

describe('a signed checkpoint', () => {
  it('has one field per line, and opens to the signed fields', () => {
    expect(note.split('\n').slice(0, 4)).toEqual(['log.example/7', '5', toBase64(root), ''])
    expect(openCheckpoint(note, signerKey)).toEqual(checkpoint)
    const laterNote = signCheckpoint({ ...checkpoint, epoch: 2 }, signer)
    expect(laterNote.split('\n')[3]).toBe('epoch 2')
    expect(openCheckpoint(laterNote, signerKey).epoch).toBe(2)
  })

  it('has a signature that Node verifies', () => {
    const { publicKey } = readVerifierKey(signerKey)
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey])
    const [text = '', line = ''] = note.split('\n\n')
    const signature = fromBase64(line.trim().split(' ')[2] ?? '')?.slice(4) ?? new Uint8Array()
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    expect(verify(null, Buffer.from(`${text}\n`), key, signature)).toBe(true)
  })

  it('does not open if another key signed it, even a key with the same name', () => {
    const foreignNote = signCheckpoint(checkpoint, otherSigner)
    expect(getErrorCode(() => openCheckpoint(foreignNote, signerKey))).toBe('NOT_SIGNED_BY_KEY')
  })

  it('opens with the old key and with the new key if both signed it', () => {
    const doublySignedNote = signCheckpoint(checkpoint, signer, otherSigner)
    for (const key of [signerKey, createVerifierKey(otherSigner.name, otherSigner.seed)])
      expect(openCheckpoint(doublySignedNote, key)).toEqual(checkpoint)
  })

  describe('with a new key', () => {
    const nextKey = createVerifierKey(otherSigner.name, otherSigner.seed)
    const handover = signCheckpoint({ ...checkpoint, nextKey }, signer, otherSigner)
    const findHandoverError = (note: string, knownKey = signerKey, expectedNextKey = nextKey) =>
      getErrorCode(() => openHandover(note, knownKey, expectedNextKey))

    it('is accepted as a handover if it names the new key and both keys signed it', () => {
      expect(handover.split('\n')[3]).toBe(`next key ${nextKey}`)
      expect(openHandover(handover, signerKey, nextKey)).toEqual({ ...checkpoint, nextKey })
      expect(openCheckpoint(handover, nextKey)).toEqual({ ...checkpoint, nextKey })
      const restoredNote = signCheckpoint({ ...checkpoint, epoch: 3, nextKey }, signer, otherSigner)
      expect(openHandover(restoredNote, signerKey, nextKey).epoch).toBe(3)
    })

    it('is not accepted as a handover if only one key signed it, or if it does not name the new key', () => {
      // An attacker with write access to the database has genuine notes, and can create keys.
      expect(findHandoverError(signCheckpoint({ ...checkpoint, nextKey }, otherSigner))).toBe('NOT_SIGNED_BY_KEY')
      expect(findHandoverError(signCheckpoint(checkpoint, signer, otherSigner))).toBe('NOT_SIGNED_BY_KEY')
      expect(findHandoverError(signCheckpoint({ ...checkpoint, nextKey }, signer))).toBe('NOT_SIGNED_BY_KEY')
      expect(findHandoverError(signCheckpoint({ ...checkpoint, nextKey: signerKey }, signer, otherSigner))).toBe(
        'NOT_SIGNED_BY_KEY',
      )
      const [text, lines = ''] = handover.split('\n\n')
      const plainSignature = note.split('\n\n')[1] ?? ''
      expect(findHandoverError(`${text}\n\n${plainSignature}${lines.split('\n')[1]}\n`)).toBe('SIGNATURE_INVALID')
      // The new key cannot hand over to the old key.
      expect(findHandoverError(handover, nextKey, signerKey)).toBe('NOT_SIGNED_BY_KEY')
    })

    it('is rejected unless it names exactly one new key, of the same log', () => {
      const foreignKey = createVerifierKey('log.example/8', otherSigner.seed)
      const text = formatCheckpoint(checkpoint)
      for (const addedText of [
        `next key ${foreignKey}\n`,
        'next key \n',
        'next key x\n',
        `next key ${nextKey}\nnext key ${signerKey}\n`,
        `next key  ${nextKey}\n`,
        `next key ${nextKey} \n`,
      ])
        expect(
          getErrorCode(() => readCheckpoint(text + addedText)),
          addedText,
        ).toMatch(/^BAD_(CHECKPOINT|KEY)$/)
      expect(getErrorCode(() => formatCheckpoint({ ...checkpoint, nextKey: foreignKey }))).toBe('BAD_CHECKPOINT')
      expect(getErrorCode(() => formatCheckpoint({ ...checkpoint, nextKey: 'x' }))).toBe('BAD_KEY')
    })
  })

  it('does not open if any character is changed', () => {
    for (let index = 0; index < note.length; index += 1)
      for (const replacement of ['0', 'A', ' ', '\n', '']) {
        const changedNote = note.slice(0, index) + replacement + note.slice(index + 1)
        if (changedNote !== note)
          expect(
            getErrorCode(() => openCheckpoint(changedNote, signerKey)),
            `${index} ${replacement}`,
          ).not.toBeNull()
      }
  })

  it('does not open if it is truncated anywhere', () => {
    for (let index = 0; index < note.length; index += 1)
      expect(
        getErrorCode(() => openCheckpoint(note.slice(0, index), signerKey)),
        `${index}`,
      ).not.toBeNull()
  })

  it.each([
    ['null instead of text', null, 'BAD_NOTE'],
    ['a number instead of text', 7, 'BAD_NOTE'],
    ['an empty text', '', 'BAD_NOTE'],
    ['no signature', 'log\n5\n\n', 'BAD_NOTE'],
    ['a megabyte', `${'a\n'.repeat(500_000)}\n— a AAAAAAA=\n`, 'BAD_NOTE'],
    ['two hundred signatures', note + (note.split('\n\n')[1] ?? '').repeat(200), 'BAD_NOTE'],
    ['a control character', note.replace('log.example/7\n', 'log\u001b\n'), 'BAD_NOTE'],
    ['a signature without base64', `log\n\n— ${signer.name} ****\n`, 'BAD_NOTE'],
    ['a signature of three bytes', `log\n\n— ${signer.name} AAAA\n`, 'BAD_NOTE'],
    ['a hyphen instead of the dash', note.replace('—', '-'), 'BAD_NOTE'],
  ])('is rejected with this fault: %s', (_description, hostileNote, code) => {
    expect(getErrorCode(() => openCheckpoint(hostileNote, signerKey))).toBe(code)
  })

  it('is rejected if the signed text is not a checkpoint', () => {
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
        getErrorCode(() => openCheckpoint(signNote(text, signer), signerKey)),
        JSON.stringify(text),
      ).toBe('BAD_CHECKPOINT')
    expect(readCheckpoint(`log\n5\n${rootText}\nsomething of later\n`)).toEqual({ ...checkpoint, origin: 'log' })
  })

  it('is not created from invalid fields', () => {
    for (const brokenFields of [
      { origin: '' },
      { origin: 'a\nb' },
      { size: -1 },
      { size: 1.5 },
      { epoch: 1.5 },
      { root: new Uint8Array(3) },
    ])
      expect(
        getErrorCode(() => formatCheckpoint({ ...checkpoint, ...brokenFields })),
        JSON.stringify(brokenFields),
      ).toBe('BAD_CHECKPOINT')
  })
})

describe('a verifier key', () => {
  it('consists of a name, an id and a key', () => {
    expect(signerKey).toMatch(/^log\.example\/7\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/)
    expect(readVerifierKey(signerKey).name).toBe('log.example/7')
    expect(getFingerprint(signerKey)).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/)
    expect(getFingerprint(signerKey)).not.toBe(getFingerprint(createVerifierKey(otherSigner.name, otherSigner.seed)))
  })

  it('is rejected if any character is changed or it is truncated', () => {
    for (let index = 0; index < signerKey.length; index += 1) {
      const replacement = signerKey[index] === 'b' ? 'c' : 'b'
      expect(
        getErrorCode(() => readVerifierKey(signerKey.slice(0, index) + replacement + signerKey.slice(index + 1))),
        `${index}`,
      ).toBe('BAD_KEY')
      expect(
        getErrorCode(() => readVerifierKey(signerKey.slice(0, index))),
        `${index}`,
      ).toBe('BAD_KEY')
    }
    for (const hostileKey of [null, 7, '', '++', 'a'.repeat(100_000)])
      expect(getErrorCode(() => readVerifierKey(hostileKey))).toBe('BAD_KEY')
    expect(getErrorCode(() => createVerifierKey('a name', signer.seed))).toBe('BAD_KEY')
    expect(getErrorCode(() => createVerifierKey('name', new Uint8Array(31)))).toBe('BAD_KEY')
  })
})

describe('toBase64 and fromBase64', () => {
  it('write base64 as Node does, and accept only that form', () => {
    for (const length of [0, 1, 2, 3, 32, 33, 8_191, 8_192, 8_193, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256)
      const text = toBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(fromBase64(text)).toEqual(bytes)
    }
    for (const badText of ['AB', 'AB=', 'A===', 'AA=A', 'AB==', 'AAB=', 'AA AA', 'AAA\n', '-_AA', 'AAAA===='])
      expect(fromBase64(badText), badText).toBeNull()
  })
})
