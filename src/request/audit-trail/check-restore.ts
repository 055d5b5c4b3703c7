/**
 * Whether a log that lost entries says itself that it was restored from a copy: in an entry of its own for each epoch since, which is
 * proven to stand in it and names the size and root that it was restored to. A number in a checkpoint alone would excuse anything.
 */
import { listTrail } from '#contract/audit-trail.ts'
import { fromBase64 } from '#domain/audit-log/base64.ts'
import type { Checkpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow, readLeaf } from '#domain/audit-log/leaf.ts'
import { consistencyFault, consistencyProof, inclusionFault, inclusionProof } from '#domain/audit-log/proofs.ts'
import { nodesOf, tilesReadBy } from '#domain/audit-log/tiles.ts'
import { ask } from '#request/audit-trail/ask.ts'
import { fetchTiles } from '#request/audit-trail/log-tiles.ts'
import type { Ports } from '#request/ports.ts'
import type { Guard } from '#request/reads/read-context.ts'

/** Restores that are looked at: more of them since this device last saw the log are not believed. */
const restoresRead = 50

/** A restore, as the log says. */
export class RestoredLog extends LogError {
  /** To so many entries. */
  readonly size: number
  constructor(size: number) {
    super('RESTORED', `restored to ${size} entries`)
    this.size = size
  }
}

interface Restore {
  epoch: number
  /** What was left. */
  size: number
  root: Uint8Array
  index: number
  leaf: string
}

/**
 * The smallest size that the log was restored to since `epoch`; null where it does not say so, or what it says is not proven. Throws
 * TrailProblem, BAD_TILE.
 */
export async function restoredSince(
  ports: Ports,
  guard: Guard,
  { companyId, epoch, checkpoint }: { companyId: number; epoch: number; checkpoint: Checkpoint },
): Promise<number | null> {
  const query = { companyId, code: 'system', operation: 'restore', results: restoresRead } as const
  const { body } = await ask(ports, guard, listTrail, { query })
  const said = (Array.isArray(body.data) ? body.data : []).flatMap((row) => restoreIn(row, companyId) ?? [])
  const sizes: number[] = []
  for (let at = epoch + 1; at <= checkpoint.epoch; at++) {
    const restore = said.find((one) => one.epoch === at)
    if (!restore || !(await isProven(ports, guard, companyId, restore, checkpoint))) return null
    sizes.push(restore.size)
  }
  return Math.min(...sizes)
}

function restoreIn(
  { leaf, log_index: index }: Pick<AuditEntryRow, 'leaf' | 'log_index'>,
  companyId: number,
): Restore | null {
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

/** Its entry stands in the log, and the log goes on from what it says was left. */
async function isProven(
  ports: Ports,
  guard: Guard,
  companyId: number,
  { index, leaf, size: from, root: fromRoot }: Restore,
  { size: to, root: toRoot }: Checkpoint,
): Promise<boolean> {
  if (index >= to) return false
  const names = [
    ...tilesReadBy((read) => inclusionProof(index, to, read)),
    ...tilesReadBy((read) => consistencyProof(from, to, read)),
  ]
  const read = nodesOf(await fetchTiles(ports, guard, companyId, names))
  const proof = inclusionProof(index, to, read)
  if (inclusionFault({ index, size: to, root: toRoot, leaf: leafHash(leaf), proof })) return false
  return consistencyFault({ from, to, fromRoot, toRoot, proof: consistencyProof(from, to, read) }) === null
}
