/** Checkpoints (C2SP tlog-checkpoint): which log, how large, its root; as the text of a signed note. */
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { type Hash, hashBytes } from '#domain/audit-log/hash.ts'
import { openNote, readVerifierKey, signNote } from '#domain/audit-log/note.ts'

export interface Checkpoint {
  /** The stable name of the log; never a host. */
  origin: string
  size: number
  root: Hash
  /** Counts the times that the log was restored from a copy: since then it may lack entries that it had. From 0. */
  epoch: number
}

/** Further lines than ours are of later versions, and are kept out of it. */
const maxLines = 20

/** The text that is signed. The line `epoch N` stands only where N is not 0. Throws BAD_CHECKPOINT on what has no text. */
export function checkpointText({ origin, size, root, epoch }: Checkpoint): string {
  const text = [origin, String(size), toBase64(root), ...(epoch === 0 ? [] : [`epoch ${epoch}`]), ''].join('\n')
  readCheckpoint(text)
  return text
}

/** Throws BAD_CHECKPOINT. */
export function readCheckpoint(text: string): Checkpoint {
  const bad = (what: string) => new LogError('BAD_CHECKPOINT', `no checkpoint: ${what}`)
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  if (origin === '') throw bad('no origin')
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) throw bad('no size')
  const hash = fromBase64(root)
  if (hash?.length !== hashBytes) throw bad('no root')
  const more = rest.slice(0, -1)
  if (rest.at(-1) !== '' || more.length > maxLines || more.includes('')) throw bad('lines')
  return { origin, size: Number(size), root: hash, epoch: epochIn(more, bad) }
}

function epochIn(lines: string[], bad: (what: string) => LogError): number {
  const [line, second] = lines.filter((one) => /^epoch\b/.test(one))
  if (line === undefined) return 0
  if (second !== undefined || !/^epoch [1-9]\d{0,8}$/.test(line)) throw bad('epoch')
  return Number(line.slice('epoch '.length))
}

/** Throws as `checkpointText` and `signNote`. */
export const signCheckpoint = (checkpoint: Checkpoint, ...signers: { name: string; seed: Uint8Array }[]): string =>
  signNote(checkpointText(checkpoint), ...signers)

/** The checkpoint in a note that this verifier key (`name+id+base64`) has signed. Throws as `readVerifierKey`, `openNote`, `readCheckpoint`. */
export const openCheckpoint = (note: unknown, key: unknown): Checkpoint =>
  readCheckpoint(openNote(note, readVerifierKey(key)))
