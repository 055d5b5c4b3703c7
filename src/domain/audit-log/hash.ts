/** SHA-256 hashes (RFC 6962, 2.1; RFC 9162, 2.1.1). A prefix byte prevents a leaf from passing as a node. */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'

/** 32 bytes. */
export type Hash = Uint8Array
export const hashLength = 32

/** SHA-256(0x00 ‖ leaf). A string is hashed as UTF-8. */
export function hashLeaf(leaf: string | Uint8Array): Hash {
  const bytes = typeof leaf === 'string' ? utf8ToBytes(leaf) : leaf
  const input = new Uint8Array(1 + bytes.length)
  input.set(bytes, 1)
  return sha256(input)
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function hashNode(left: Hash, right: Hash): Hash {
  const input = new Uint8Array(1 + 2 * hashLength)
  input[0] = 1
  input.set(left, 1)
  input.set(right, 1 + hashLength)
  return sha256(input)
}

export const emptyRoot: Hash = sha256(new Uint8Array())

export function isEqualHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Throws BAD_HASH if the text is not the base64 of 32 bytes. */
export function readHash(base64: unknown): Hash {
  const bytes = typeof base64 === 'string' ? fromBase64(base64) : null
  if (bytes?.length !== hashLength) throw new LogError('BAD_HASH', 'a hash is not 32 bytes in base64')
  return bytes
}
