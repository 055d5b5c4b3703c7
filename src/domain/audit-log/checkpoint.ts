/** Checkpoints (C2SP tlog-checkpoint): origin, size and root of a log, as the text of a signed note. */
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { emptyRoot, type Hash, hashLength, hashLeaf, hashNode } from '#domain/audit-log/hash.ts'
import { openNote, readVerifierKey, signNote } from '#domain/audit-log/note.ts'

export interface Checkpoint {
  /** Name of the log. It never contains a host, because it must stay the same. */
  origin: string
  size: number
  root: Hash
  /** Number of restores from a backup. After a restore the log may lack earlier entries. */
  epoch: number
  /** Verifier key (`name+id+base64`) that replaces the signing key. Omitted if the key does not change. */
  nextKey?: string
  /** Count and hash of this log's earlier checkpoints in permanent storage. Omitted if no checkpoint is stored. */
  storedChain?: StoredChain
}

/**
 * `hash` is a hash chain over the notes of the stored checkpoints by log size, so that no checkpoint can be changed or removed unnoticed.
 */
export interface StoredChain {
  count: number
  hash: Hash
}

/** Maximum number of lines. Later versions may add lines, which are ignored. */
const maxLines = 20

/** Returns the chain extended by the note of the largest checkpoint so far. */
export function extendChain(chain: StoredChain | undefined, note: string): StoredChain {
  const previousChain = chain ?? { count: 0, hash: emptyRoot }
  return { count: previousChain.count + 1, hash: hashNode(previousChain.hash, hashLeaf(note)) }
}

/**
 * Returns the text to sign. It has the lines `epoch N`, `next key KEY` and `stored COUNT HASH` only if N is not 0 or the value exists.
 * Throws BAD_CHECKPOINT if a value cannot be written, BAD_KEY for a malformed next key.
 */
export function formatCheckpoint({ origin, size, root, epoch, nextKey, storedChain }: Checkpoint): string {
  const extraLines = [
    ...(epoch === 0 ? [] : [`epoch ${epoch}`]),
    ...(nextKey === undefined ? [] : [`next key ${nextKey}`]),
    ...(storedChain === undefined ? [] : [`stored ${storedChain.count} ${toBase64(storedChain.hash)}`]),
  ]
  const text = [origin, String(size), toBase64(root), ...extraLines, ''].join('\n')
  readCheckpoint(text)
  return text
}

/** Throws BAD_CHECKPOINT, or BAD_KEY for a malformed next key. */
export function readCheckpoint(text: string): Checkpoint {
  const createError = (reason: string) => new LogError('BAD_CHECKPOINT', `not a checkpoint: ${reason}`)
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  if (origin === '') throw createError('the origin is missing')
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) throw createError('the size is invalid')
  const hash = fromBase64(root)
  if (hash?.length !== hashLength) throw createError('the root is invalid')
  const extraLines = rest.slice(0, -1)
  if (rest.at(-1) !== '' || extraLines.length > maxLines || extraLines.includes('')) throw createError('lines')
  const nextKey = parseNextKey(extraLines, origin, createError)
  const storedChain = parseStoredChain(extraLines, createError)
  const fields = { origin, size: Number(size), root: hash, epoch: parseEpoch(extraLines, createError) }
  return { ...fields, ...(nextKey === null ? {} : { nextKey }), ...(storedChain === null ? {} : { storedChain }) }
}

/** Reads the checkpoint of a note without verifying signatures. Throws like `readCheckpoint`. */
export const readUnverifiedCheckpoint = (note: string): Checkpoint =>
  readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))

function parseStoredChain(lines: string[], createError: (reason: string) => LogError): StoredChain | null {
  const [line, secondLine] = lines.filter((chainLine) => /^stored\b/.test(chainLine))
  if (line === undefined) return null
  const [, count = '', base64 = ''] = /^stored ([1-9]\d{0,8}) (\S+)$/.exec(line) ?? []
  const hash = fromBase64(base64)
  if (secondLine !== undefined || count === '' || hash?.length !== hashLength) throw createError('stored')
  return { count: Number(count), hash }
}

function parseEpoch(lines: string[], createError: (reason: string) => LogError): number {
  const [line, secondLine] = lines.filter((epochLine) => /^epoch\b/.test(epochLine))
  if (line === undefined) return 0
  if (secondLine !== undefined || !/^epoch [1-9]\d{0,8}$/.test(line)) throw createError('the epoch is invalid')
  return Number(line.slice('epoch '.length))
}

/** Returns whether the note announces a new key. Does not verify signatures. */
export const hasNextKey = (note: string): boolean => /\nnext key /.test(note)

function parseNextKey(lines: string[], origin: string, createError: (reason: string) => LogError): string | null {
  const [line, secondLine] = lines.filter((keyLine) => /^next key\b/.test(keyLine))
  if (line === undefined) return null
  const key = line.slice('next key '.length)
  if (secondLine !== undefined || readVerifierKey(key).name !== origin) throw createError('the next key is invalid')
  return key
}

/** Throws like `formatCheckpoint` and `signNote`. */
export const signCheckpoint = (checkpoint: Checkpoint, ...signers: { name: string; seed: Uint8Array }[]): string =>
  signNote(formatCheckpoint(checkpoint), ...signers)

/** Opens a note signed by this verifier key. Throws like `readVerifierKey`, `openNote` and `readCheckpoint`. */
export const openCheckpoint = (note: unknown, key: unknown): Checkpoint =>
  readCheckpoint(openNote(note, readVerifierKey(key)))

/** Returns the current key by following the handover notes from `trustedKey`. Throws like `openHandover`. */
export function followHandovers(notes: readonly unknown[], trustedKey: string): string {
  let key = trustedKey
  for (const note of notes) {
    const { nextKey } = openCheckpoint(note, key)
    if (nextKey === undefined) throw new LogError('NOT_SIGNED_BY_KEY', 'the handover note does not name a next key')
    openHandover(note, key, nextKey)
    key = nextKey
  }
  return key
}

/**
 * Returns the checkpoint of a note in which `trustedKey` names `nextKey` as its replacement. Two signatures alone are not enough, because
 * anybody can add their own signature: the trusted key must have signed the name of the next one. Throws like `openCheckpoint`, and
 * NOT_SIGNED_BY_KEY if the note names no or another next key.
 */
export function openHandover(note: unknown, trustedKey: string, nextKey: string): Checkpoint {
  openCheckpoint(note, nextKey)
  const checkpoint = openCheckpoint(note, trustedKey)
  if (checkpoint.nextKey !== nextKey)
    throw new LogError('NOT_SIGNED_BY_KEY', 'the known key did not sign this key as the next one')
  return checkpoint
}
