/** Proof of one entry as a file. It can be verified with the log's key alone, without the portal. */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { isCanonical } from '#domain/audit-log/canonical.ts'
import { type Checkpoint, openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError, type LogFault } from '#domain/audit-log/fault.ts'
import { type Hash, hashLeaf, readHash } from '#domain/audit-log/hash.ts'
import { type AuditLeaf, auditMenus, readLeaf } from '#domain/audit-log/leaf.ts'
import { readVerifierKey } from '#domain/audit-log/note.ts'
import { findInclusionFault, maxProofHashes } from '#domain/audit-log/proofs.ts'

export const proofFormat = 'saas-portal audit proof'
export const proofVersion = 1
/** Maximum length of a proof file, in characters. The largest leaves have about ten thousand. */
export const maxProofFileLength = 4 * 1024 * 1024

export interface ProofFile {
  format: typeof proofFormat
  v: typeof proofVersion
  leaf: string
  /** Index of the leaf in the log, from 0. */
  index: number
  size: number
  /** Hashes of the proof in base64, from the leaf to the root. */
  hashes: string[]
  checkpoint: string
  /** The verifier key from the file. It identifies the log but proves nothing. */
  key: string
}

export type ProofVerdict =
  | { kind: 'proven'; leaf: AuditLeaf; index: number; checkpoint: Checkpoint }
  | { kind: 'refused'; fault: LogFault; detail: string }

export function formatProofFile(proof: {
  leaf: string
  index: number
  size: number
  hashes: readonly Hash[]
  checkpoint: string
  key: string
}): string {
  const { leaf, index, size, hashes, checkpoint, key } = proof
  const file: ProofFile = {
    format: proofFormat,
    v: proofVersion,
    leaf,
    index,
    size,
    hashes: hashes.map(toBase64),
    checkpoint,
    key,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Throws FILE_TOO_LARGE, FILE_NO_JSON, FILE_FORMAT, FIELD_MISSING or BAD_KEY. The values are verified later. */
export function readProofFile(text: string): ProofFile {
  if (text.length > maxProofFileLength)
    throw new LogError('FILE_TOO_LARGE', `the file has more than ${maxProofFileLength} characters`)
  const file = parseJson(text)
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new LogError('FILE_FORMAT', 'the file is not a JSON object')
  const { format, v, leaf, index, size, hashes, checkpoint, key } = file as Record<string, unknown>
  if (format !== proofFormat || v !== proofVersion)
    throw new LogError('FILE_FORMAT', `the file does not have the format "${proofFormat}", version ${proofVersion}`)
  const createError = (name: string) => new LogError('FIELD_MISSING', `"${name}" is missing or has the wrong type`)
  if (typeof leaf !== 'string') throw createError('leaf')
  if (typeof index !== 'number') throw createError('index')
  if (typeof size !== 'number') throw createError('size')
  if (typeof checkpoint !== 'string') throw createError('checkpoint')
  if (typeof key !== 'string') throw createError('key')
  if (!Array.isArray(hashes) || !hashes.every((hash) => typeof hash === 'string')) throw createError('hashes')
  readVerifierKey(key)
  return { format: proofFormat, v: proofVersion, leaf, index, size, hashes, checkpoint, key }
}

/** Verifies the proof with `key`, the verifier key that the reader trusts, not the one in the file. */
export function verifyProofFile(file: ProofFile, key: string): ProofVerdict {
  try {
    const checkpoint = openCheckpoint(file.checkpoint, key)
    if (checkpoint.size !== file.size)
      throw new LogError('BAD_SIZE', `the checkpoint is for ${checkpoint.size} leaves, not ${file.size}`)
    if (file.hashes.length > maxProofHashes)
      throw new LogError('WRONG_COUNT_OF_HASHES', 'the proof has more hashes than any log needs')
    const { index, size } = file
    const proof = file.hashes.map(readHash)
    const fault = findInclusionFault({ index, size, leaf: hashLeaf(file.leaf), root: checkpoint.root, proof })
    if (fault) throw new LogError(fault, describeFault(fault, file))
    return { kind: 'proven', leaf: parseCheckedLeaf(file.leaf), index, checkpoint }
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    return { kind: 'refused', fault: error.code, detail: error.message }
  }
}

function describeFault(fault: LogFault, { index, size }: ProofFile): string {
  if (fault === 'ROOT_DIFFERS') return 'the entry, its position or a hash differs from the recorded one'
  if (fault === 'BAD_INDEX') return `a log of ${size} entries has no entry ${index}`
  return fault === 'WRONG_COUNT_OF_HASHES' ? 'the proof has too few or too many hashes' : fault
}

/** Recorded entries are canonical JSON, so a proof of other bytes does not prove an entry. */
function parseCheckedLeaf(text: string): AuditLeaf {
  if (!isCanonical(text)) throw new LogError('LEAF_NOT_CANONICAL', 'the entry is not canonical JSON')
  let leaf: AuditLeaf
  try {
    leaf = readLeaf(text)
  } catch {
    throw new LogError('LEAF_UNREADABLE', 'the recorded bytes are not an entry of the audit trail')
  }
  const { company, time, code, operation, user_name, user_id, status, info, changes } = leaf
  const isReadable =
    [company, time].every(Number.isSafeInteger) &&
    (auditMenus as readonly unknown[]).includes(code) &&
    [operation, user_name].every((value) => typeof value === 'string') &&
    (user_id === null || Number.isSafeInteger(user_id)) &&
    (status === 0 || status === -1) &&
    isRecord(info) &&
    changes.every((change: unknown) => isRecord(change) && typeof change.field === 'string')
  if (!isReadable) throw new LogError('LEAF_UNREADABLE', 'the entry has missing or invalid fields')
  return leaf
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new LogError('FILE_NO_JSON', 'the file is not JSON')
  }
}
