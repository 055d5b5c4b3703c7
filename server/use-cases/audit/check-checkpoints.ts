/**
 * Checks every stored checkpoint of a log against its tree: signed by a key of this log, in order, of a tree that the log begins with, and
 * none of those that stay was changed or removed. The hashes of the tree are checked apart.
 */
import {
  type Checkpoint,
  extendChain,
  openCheckpoint,
  readUnverified,
  type StoredChain,
} from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { equalHashes } from '#domain/audit-log/hash.ts'
import type { NodeReader } from '#domain/audit-log/tiles.ts'
import { rootOf } from '#domain/audit-log/tree.ts'
import type { StoredCheckpoint } from '#server/db/audit/audit-log.ts'
import { type Keyed, keyOf, originOf } from '#server/use-cases/audit/log-identity.ts'

export interface CheckedTree {
  companyId: number
  size: number
  nodes: NodeReader
}

/** The sizes of those in which something is wrong. `checkpoints`: all of the log, the smallest first. */
export function findBrokenCheckpoints(
  app: Keyed,
  tree: CheckedTree,
  checkpoints: readonly StoredCheckpoint[],
): number[] {
  const broken: number[] = []
  let chain: StoredChain | undefined
  let [epoch, isChained] = [0, false]
  for (const [at, { size, note, kept }] of checkpoints.entries()) {
    const isNewest = at === checkpoints.length - 1
    const checkpoint = openOf(app, tree, note, checkpoints.slice(at + 1))
    isChained ||= checkpoint?.stored !== undefined
    const isGood =
      checkpoint !== null &&
      checkpoint.size === size &&
      checkpoint.epoch >= epoch &&
      // The integrator leaves only those that stay beside the newest one.
      (kept || isNewest) &&
      (!isChained || isSameChain(checkpoint.stored, chain)) &&
      isOfTree(checkpoint, tree)
    if (!isGood) broken.push(size)
    epoch = checkpoint?.epoch ?? epoch
    if (kept) chain = extendChain(chain, note)
  }
  return broken
}

/** Whether the log of this tree goes on from the checkpoint in the note. Null: there is none to go on from. */
export function isContinued(app: Keyed, tree: CheckedTree, note: string | null): boolean {
  if (note === null) return true
  const checkpoint = openOf(app, tree, note, [])
  return checkpoint !== null && isOfTree(checkpoint, tree)
}

/** Null: it is no checkpoint of this log. A former key is known no more: its checkpoints count where a later one has changed the key. */
function openOf(
  app: Keyed,
  { companyId }: CheckedTree,
  note: string,
  later: readonly StoredCheckpoint[],
): Checkpoint | null {
  try {
    const checkpoint = readUnverified(note)
    if (checkpoint.origin !== originOf(app, companyId)) return null
    try {
      return openCheckpoint(note, keyOf(app, companyId, note))
    } catch (error) {
      const isOfFormerKey = error instanceof LogError && error.code === 'NOT_SIGNED_BY_KEY'
      if (isOfFormerKey && later.some((one) => readUnverified(one.note).nextKey !== undefined)) return checkpoint
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
    return equalHashes(root, rootOf(size, tree.nodes))
  } catch (error) {
    if (error instanceof LogError) return false
    throw error
  }
}

const isSameChain = (one: StoredChain | undefined, other: StoredChain | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.count === other.count && equalHashes(one.hash, other.hash)

/** Of the checkpoints that stay; undefined: none does. */
export function chainOf(checkpoints: readonly StoredCheckpoint[]): StoredChain | undefined {
  return checkpoints
    .filter(({ kept }) => kept)
    .reduce<StoredChain | undefined>((chain, { note }) => extendChain(chain, note), undefined)
}
