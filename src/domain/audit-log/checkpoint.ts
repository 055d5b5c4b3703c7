/** Checkpoints (C2SP tlog-checkpoint): which log, how large, its root; as the text of a signed note. */
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { emptyRoot, type Hash, hashLength, hashLeaf, hashNode } from '#domain/audit-log/hash.ts'
import { openNote, readVerifierKey, signNote } from '#domain/audit-log/note.ts'

export interface Checkpoint {
  /** The stable name of the log; never a host. */
  origin: string
  size: number
  root: Hash
  /** Counts the times that the log was restored from a copy: since then it may lack entries that it had. From 0. */
  epoch: number
  /** The verifier key (`name+id+base64`) that takes the place of the one that signed this; left out: that one stays. */
  nextKey?: string
  /** Earlier checkpoints of this log that are stored for good; left out: there are none. */
  storedChain?: StoredChain
}

/** `hash` chains their notes in the order of their sizes, so that none of them can be changed or removed unnoticed. */
export interface StoredChain {
  count: number
  hash: Hash
}

/** Further lines than ours are of later versions, and are kept out of it. */
const maxLines = 20

/** The chain with one more checkpoint, which is the largest so far. */
export function extendChain(chain: StoredChain | undefined, note: string): StoredChain {
  const previousChain = chain ?? { count: 0, hash: emptyRoot }
  return { count: previousChain.count + 1, hash: hashNode(previousChain.hash, hashLeaf(note)) }
}

/**
 * The text that is signed. The lines `epoch N`, `next key KEY` and `stored COUNT HASH` are there only where N is not 0 and there is one.
 * Throws BAD_CHECKPOINT on what has no text, BAD_KEY on a next key that is none.
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

/** Throws BAD_CHECKPOINT; BAD_KEY where the next key is none. */
export function readCheckpoint(text: string): Checkpoint {
  const createError = (reason: string) => new LogError('BAD_CHECKPOINT', `no checkpoint: ${reason}`)
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  if (origin === '') throw createError('no origin')
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) throw createError('no size')
  const hash = fromBase64(root)
  if (hash?.length !== hashLength) throw createError('no root')
  const extraLines = rest.slice(0, -1)
  if (rest.at(-1) !== '' || extraLines.length > maxLines || extraLines.includes('')) throw createError('lines')
  const nextKey = parseNextKey(extraLines, origin, createError)
  const storedChain = parseStoredChain(extraLines, createError)
  const fields = { origin, size: Number(size), root: hash, epoch: parseEpoch(extraLines, createError) }
  return { ...fields, ...(nextKey === null ? {} : { nextKey }), ...(storedChain === null ? {} : { storedChain }) }
}

/** The checkpoint in a note whose signatures nobody has looked at. Throws as `readCheckpoint`. */
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
  if (secondLine !== undefined || !/^epoch [1-9]\d{0,8}$/.test(line)) throw createError('epoch')
  return Number(line.slice('epoch '.length))
}

/** It is the key of the same log, or the line is none. */
/** Whether the note says that its key is being changed; nobody has looked at its signatures. */
export const hasNextKey = (note: string): boolean => /\nnext key /.test(note)

function parseNextKey(lines: string[], origin: string, createError: (reason: string) => LogError): string | null {
  const [line, secondLine] = lines.filter((keyLine) => /^next key\b/.test(keyLine))
  if (line === undefined) return null
  const key = line.slice('next key '.length)
  if (secondLine !== undefined || readVerifierKey(key).name !== origin) throw createError('next key')
  return key
}

/** Throws as `formatCheckpoint` and `signNote`. */
export const signCheckpoint = (checkpoint: Checkpoint, ...signers: { name: string; seed: Uint8Array }[]): string =>
  signNote(formatCheckpoint(checkpoint), ...signers)

/** The checkpoint in a note that this verifier key (`name+id+base64`) has signed. Throws as `readVerifierKey`, `openNote`, `readCheckpoint`. */
export const openCheckpoint = (note: unknown, key: unknown): Checkpoint =>
  readCheckpoint(openNote(note, readVerifierKey(key)))

/**
 * The key that was come to from `trustedKey` by these notes, each of which says that another took its place. Throws as `openHandover`, also
 * where a note names no next key.
 */
export function followHandovers(notes: readonly unknown[], trustedKey: string): string {
  let key = trustedKey
  for (const note of notes) {
    const { nextKey } = openCheckpoint(note, key)
    if (nextKey === undefined) throw new LogError('NOT_SIGNED_BY_KEY', 'the note of a handover names no next key')
    openHandover(note, key, nextKey)
    key = nextKey
  }
  return key
}

/**
 * The checkpoint in a note that says that `nextKey` has taken the place of `trustedKey`, the key that its reader trusts. It is not enough that
 * both have signed: anybody can put a signature of their own beside one. The known key must have signed the name of the next.
 * Throws as `openCheckpoint`, and NOT_SIGNED_BY_KEY where the note names no or another next key.
 */
export function openHandover(note: unknown, trustedKey: string, nextKey: string): Checkpoint {
  openCheckpoint(note, nextKey)
  const checkpoint = openCheckpoint(note, trustedKey)
  if (checkpoint.nextKey !== nextKey) throw new LogError('NOT_SIGNED_BY_KEY', 'the known key has not named this one')
  return checkpoint
}
