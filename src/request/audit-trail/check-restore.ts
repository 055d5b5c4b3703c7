/**
 * Checks whether a log that lost entries declares that it was restored from a copy. Each epoch since must have an entry in the log, with a
 * proof, that states the size and root after the restore. A number in a checkpoint alone is not accepted, because it could hide any change.
 */
import { listTrail } from '#contract/audit-trail.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import type { Checkpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, readLeaf } from '#domain/audit-log/leaf.ts'
import {
  findConsistencyFault,
  buildConsistencyProof,
  findInclusionFault,
  buildInclusionProof,
} from '#domain/audit-log/proofs.ts'
import { createNodeReader, listTilesRead } from '#domain/audit-log/tiles.ts'
import { fetchTrail, type LogContext } from '#request/audit-trail/fetch-trail.ts'
import { fetchTiles } from '#request/audit-trail/log-tiles.ts'

/** Maximum number of restores that are read. If there were more since this device last saw the log, the log is not accepted. */
const maxRestores = 50

export class RestoredLogError extends LogError {
  readonly size: number
  constructor(size: number) {
    super('RESTORED', `the log was restored to ${size} entries`)
    this.size = size
  }
}

interface LogRestore {
  epoch: number
  /** `size` and `root` of the log after the restore; `index` and `leaf` of the entry that declares it. */
  size: number
  root: Uint8Array
  index: number
  leaf: string
}

/**
 * Returns the smallest size that the restores after `epoch` declare, or null if one of them is not proven. Throws TrailProblem, BAD_TILE.
 */
export async function findRestoredSize(
  context: LogContext,
  { epoch, checkpoint }: { epoch: number; checkpoint: Checkpoint },
): Promise<number | null> {
  const { companyId } = context
  const query = { companyId, code: 'system', operation: 'restore', results: maxRestores } as const
  const { body } = await fetchTrail(context, listTrail, { query })
  const restores = (Array.isArray(body.data) ? body.data : []).flatMap((row) => parseRestore(row, companyId) ?? [])
  const sizes: number[] = []
  for (let epochNumber = epoch + 1; epochNumber <= checkpoint.epoch; epochNumber++) {
    const restore = restores.find((logRestore) => logRestore.epoch === epochNumber)
    if (!restore || !(await isProven(context, restore, checkpoint))) return null
    sizes.push(restore.size)
  }
  return Math.min(...sizes)
}

function parseRestore(
  { leaf, log_index: index }: Pick<AuditEntryRow, 'leaf' | 'log_index'>,
  companyId: number,
): LogRestore | null {
  try {
    const { company, code, operation, info } = readLeaf(leaf)
    const { Epoch: epoch, RestoredSize: size, RestoredRoot: root } = info
    const isRestore = company === companyId && code === 'system' && operation === 'restore'
    if (!isRestore || index === null || typeof epoch !== 'number' || typeof size !== 'number') return null
    const bytes = typeof root === 'string' ? fromBase64(root) : null
    return bytes && size <= index ? { epoch, size, root: bytes, index, leaf } : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof LogError) return null
    throw error
  }
}

async function isProven(
  context: LogContext,
  { index, leaf, size: from, root: fromRoot }: LogRestore,
  { size: to, root: toRoot }: Checkpoint,
): Promise<boolean> {
  if (index >= to) return false
  const tileNames = [
    ...listTilesRead((read) => buildInclusionProof(index, to, read)),
    ...listTilesRead((read) => buildConsistencyProof(from, to, read)),
  ]
  const readTile = createNodeReader(await fetchTiles(context, tileNames))
  const proof = buildInclusionProof(index, to, readTile)
  if (findInclusionFault({ index, size: to, root: toRoot, leaf: hashLeaf(leaf), proof })) return false
  return findConsistencyFault({ from, to, fromRoot, toRoot, proof: buildConsistencyProof(from, to, readTile) }) === null
}
