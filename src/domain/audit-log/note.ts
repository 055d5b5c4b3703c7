/** Signed notes (C2SP signed-note) with Ed25519: a text, a blank line and signature lines. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { isEqualHash } from '#domain/audit-log/hash.ts'

/** A public key with its name and id (4 bytes) as written in signature lines. */
export interface NoteVerifier {
  name: string
  id: Uint8Array
  publicKey: Uint8Array
}

/** Limits in characters and signatures. The portal's notes have about 300 characters and one or two signatures. */
const maxLength = 64 * 1024
const maxSignatures = 100

const algorithm = 1
const signatureBytes = 64
const isName = (name: string) => /^[^\s+\p{Cc}]{1,200}$/u.test(name) && name.isWellFormed()

function createKeyId(name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(algorithm), publicKey)).slice(0, 4)
}

/** Returns `name+id+base64` of the key for this 32-byte seed. Throws BAD_KEY for a name with spaces or `+`. */
export function createVerifierKey(name: string, seed: Uint8Array): string {
  if (!isName(name)) throw new LogError('BAD_KEY', 'the name of a key must not contain spaces or plus signs')
  if (seed.length !== 32) throw new LogError('BAD_KEY', 'a signing key must have 32 bytes')
  const publicKey = ed25519.getPublicKey(seed)
  const bytes = concatBytes(Uint8Array.of(algorithm), publicKey)
  return `${name}+${bytesToHex(createKeyId(name, publicKey))}+${toBase64(bytes)}`
}

/** Throws BAD_KEY, also if the id does not match the key. */
export function readVerifierKey(key: unknown): NoteVerifier {
  // The name ends at the first plus sign, because base64 contains plus signs too.
  const [, name = '', id, base64 = ''] = (typeof key === 'string' && /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(key)) || []
  const bytes = fromBase64(base64)
  if (!isName(name) || bytes?.length !== 33 || bytes[0] !== algorithm)
    throw new LogError('BAD_KEY', 'the key is not an Ed25519 verifier key (name+id+base64)')
  const publicKey = bytes.slice(1)
  const keyId = createKeyId(name, publicKey)
  if (bytesToHex(keyId) !== id) throw new LogError('BAD_KEY', 'the id of the key does not match its name and value')
  return { name, id: keyId, publicKey }
}

/** Returns the SHA-256 of the key in groups of four hex digits, which people compare over another channel. Throws BAD_KEY. */
export function getFingerprint(key: string): string {
  readVerifierKey(key)
  return bytesToHex(sha256(utf8ToBytes(key))).replace(/.{4}(?=.)/g, '$& ')
}

/**
 * Signs this text, which must end with a line break. With several signers, each signature is enough to open the note, so an old key can
 * vouch for a new one. Throws BAD_NOTE for a text that a note cannot contain, BAD_KEY for a malformed signer name.
 */
export function signNote(text: string, ...signers: { name: string; seed: Uint8Array }[]): string {
  if (!isNoteText(text))
    throw new LogError('BAD_NOTE', 'the text of a note must be complete lines without control characters')
  const lines = signers.map(({ name, seed }) => {
    const { id } = readVerifierKey(createVerifierKey(name, seed))
    return `— ${name} ${toBase64(concatBytes(id, ed25519.sign(utf8ToBytes(text), seed)))}\n`
  })
  return `${text}\n${lines.join('')}`
}

/**
 * Returns the text of a note signed by this key. Throws BAD_NOTE if it is not a note, NOT_SIGNED_BY_KEY if only others signed it, and
 * SIGNATURE_INVALID if a signature with the name of this key does not match the text.
 */
export function openNote(note: unknown, verifier: NoteVerifier): string {
  const { text, signatures } = splitNote(note)
  const ownSignatures = signatures.filter(({ name, id }) => name === verifier.name && isEqualHash(id, verifier.id))
  if (ownSignatures.length === 0) throw new LogError('NOT_SIGNED_BY_KEY', `the note is not signed by ${verifier.name}`)
  const message = utf8ToBytes(text)
  for (const { signature } of ownSignatures) {
    if (!isSignature(signature, message, verifier.publicKey))
      throw new LogError('SIGNATURE_INVALID', `the signature of ${verifier.name} does not match the text`)
  }
  return text
}

function isSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== signatureBytes) return false
  try {
    // Uses the strict rules of RFC 8032: ZIP 215 accepts keys and points that other implementations reject.
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false
  }
}

function splitNote(note: unknown) {
  const error = new LogError('BAD_NOTE', 'the text is not a signed note')
  if (typeof note !== 'string' || note.length > maxLength) throw error
  // Splits at the last blank line, because the text may contain blank lines.
  const separator = note.lastIndexOf('\n\n')
  const text = note.slice(0, separator + 1)
  const rest = note.slice(separator + 2)
  if (separator < 0 || !isNoteText(text) || !rest.endsWith('\n')) throw error
  const lines = rest.slice(0, -1).split('\n')
  if (lines.length > maxSignatures) throw error
  const signatures = lines.map((line) => {
    const [, name = '', base64 = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = fromBase64(base64)
    if (!isName(name) || !bytes || bytes.length < 5) throw error
    return { name, id: bytes.slice(0, 4), signature: bytes.slice(4) }
  })
  return { text, signatures }
}

const isNoteText = (text: string) => text.endsWith('\n') && text.isWellFormed() && !/[^\n\P{Cc}]/u.test(text)
