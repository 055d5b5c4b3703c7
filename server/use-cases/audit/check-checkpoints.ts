/**
 * Checks the stored checkpoints of a log: a key of this log has signed each of them, they are in order, the log continues the tree of each,
 * and no permanent checkpoint was changed or removed. The hashes of the tree are checked elsewhere.
 */
import {
  type Checkpoint,
  extendChain,
  openCheckpoint,
  readUnverifiedCheckpoint,
  type StoredChain,
} from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { isEqualHash } from '#domain/audit-log/hash.ts'
import type { NodeReader } from '#domain/audit-log/tiles.ts'
import { calculateRoot } from '#domain/audit-log/tree-edge.ts'
import type { StoredCheckpoint } from '#server/db/audit/audit-log.ts'
import { type AuditKeyContext, getVerifierKey, getLogOrigin } from '#server/use-cases/audit/log-identity.ts'

export interface CheckedTree {
  companyId: number
  size: number
  nodes: NodeReader
}

/** Returns the sizes of faulty checkpoints. `checkpoints` are all checkpoints of the log, smallest first. */
export function findBrokenCheckpoints(
  app: AuditKeyContext,
  tree: CheckedTree,
  checkpoints: readonly StoredCheckpoint[],
): number[] {
  const brokenSizes: number[] = []
  let chain: StoredChain | undefined
  let [epoch, isChained] = [0, false]
  for (const [index, { size, note, is_permanent: isPermanent }] of checkpoints.entries()) {
    const isNewest = index === checkpoints.length - 1
    const checkpoint = openTrustedCheckpoint(app, tree, note, checkpoints.slice(index + 1))
    isChained ||= checkpoint?.storedChain !== undefined
    const isValid =
      checkpoint !== null &&
      checkpoint.size === size &&
      checkpoint.epoch >= epoch &&
      // The integrator keeps only the permanent checkpoints and the newest one.
      (isPermanent || isNewest) &&
      (!isChained || isSameChain(checkpoint.storedChain, chain)) &&
      isOfTree(checkpoint, tree)
    if (!isValid) brokenSizes.push(size)
    epoch = checkpoint?.epoch ?? epoch
    if (isPermanent) chain = extendChain(chain, note)
  }
  return brokenSizes
}

/** Whether the log of this tree continues the checkpoint in the note. True if `note` is null. */
export function isContinued(app: AuditKeyContext, tree: CheckedTree, note: string | null): boolean {
  if (note === null) return true
  const checkpoint = openTrustedCheckpoint(app, tree, note, [])
  return checkpoint !== null && isOfTree(checkpoint, tree)
}

/**
 * Returns null if the note's checkpoint is not from this log. A checkpoint under an earlier key is accepted only if a later checkpoint
 * records a change of the key.
 */
function openTrustedCheckpoint(
  app: AuditKeyContext,
  { companyId }: CheckedTree,
  note: string,
  laterCheckpoints: readonly StoredCheckpoint[],
): Checkpoint | null {
  try {
    const checkpoint = readUnverifiedCheckpoint(note)
    if (checkpoint.origin !== getLogOrigin(app, companyId)) return null
    try {
      return openCheckpoint(note, getVerifierKey(app, companyId, note))
    } catch (error) {
      const isOfFormerKey = error instanceof LogError && error.code === 'NOT_SIGNED_BY_KEY'
      if (
        isOfFormerKey &&
        laterCheckpoints.some((laterCheckpoint) => readUnverifiedCheckpoint(laterCheckpoint.note).nextKey !== undefined)
      )
        return checkpoint
      throw error
    }
  } catch (error) {
    if (error instanceof LogError) return null
    throw error
  }
}

function isOfTree({ size, root }: Checkpoint, tree: CheckedTree): boolean {
  if (size > tree.size) return false
  try {
    return isEqualHash(root, calculateRoot(size, tree.nodes))
  } catch (error) {
    if (error instanceof LogError) return false
    throw error
  }
}

const isSameChain = (chain: StoredChain | undefined, otherChain: StoredChain | undefined): boolean =>
  chain === undefined || otherChain === undefined
    ? chain === otherChain
    : chain.count === otherChain.count && isEqualHash(chain.hash, otherChain.hash)

export function buildStoredChain(checkpoints: readonly StoredCheckpoint[]): StoredChain | undefined {
  return checkpoints
    .filter(({ is_permanent: isPermanent }) => isPermanent)
    .reduce<StoredChain | undefined>((chain, { note }) => extendChain(chain, note), undefined)
}
