/**
 * Proofs that a leaf is in the log, and that a log is a prefix of a later one. Built by RFC 6962, 2.1.1 and 2.1.2, verified by RFC 9162,
 * 2.1.3.2 and 2.1.4.2. To list the tiles of a proof: `listTilesRead((read) => buildInclusionProof(index, size, read))`.
 */
import { LogError, type LogFault } from '#domain/audit-log/fault.ts'
import { emptyRoot, isEqualHash, type Hash, hashLength, hashNode } from '#domain/audit-log/hash.ts'
import { requireSize, type NodeReader } from '#domain/audit-log/tiles.ts'
import { calculateRangeRoot, findSplit } from '#domain/audit-log/tree-edge.ts'

/** Maximum number of hashes in a proof: twice the height of the largest tree, whose size is a safe integer (53 bits). */
export const maxProofHashes = 2 * 53

/** PATH(index, D[size]), from the leaf up. Throws BAD_INDEX if the log has no such leaf. */
export function buildInclusionProof(index: number, size: number, readNode: NodeReader): Hash[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= requireSize(size))
    throw new LogError('BAD_INDEX', `a log of ${size} leaves has no leaf ${index}`)
  const proof: Hash[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + findSplit(end - start)
    if (index < middle) {
      proof.push(calculateRangeRoot(middle, end, readNode))
      end = middle
    } else {
      proof.push(calculateRangeRoot(start, middle, readNode))
      start = middle
    }
  }
  return proof.reverse()
}

/** PROOF(from, D[to]). Empty if `from` is 0 or equals `to`. Throws LOG_SHRANK if `from` is larger. */
export function buildConsistencyProof(from: number, to: number, readNode: NodeReader): Hash[] {
  if (requireSize(from) > requireSize(to))
    throw new LogError('LOG_SHRANK', `the log has ${to} leaves, but it had ${from} before`)
  if (from === 0 || from === to) return []
  const proof: Hash[] = []
  let [start, end] = [0, to]
  // True while the remaining subtree is also a complete subtree of the older log, so that the verifier already has its root.
  let isOldRoot = true
  while (end > from) {
    const middle = start + findSplit(end - start)
    if (from <= middle) {
      proof.push(calculateRangeRoot(middle, end, readNode))
      end = middle
    } else {
      proof.push(calculateRangeRoot(start, middle, readNode))
      start = middle
      isOldRoot = false
    }
  }
  if (!isOldRoot) proof.push(calculateRangeRoot(start, end, readNode))
  return proof.reverse()
}

const halve = (number: number) => Math.floor(number / 2)
const isOdd = (number: number) => number % 2 === 1

function findHashFault(proof: readonly Hash[]): LogFault | null {
  if (proof.length > maxProofHashes) return 'WRONG_COUNT_OF_HASHES'
  return proof.some((hash) => hash.length !== hashLength) ? 'BAD_HASH' : null
}

const isValidSize = (size: number) => Number.isSafeInteger(size) && size >= 0

/** Returns why the leaf is not proven to be at `index` of this log, or null if the proof is valid. */
export function findInclusionFault(claim: {
  index: number
  size: number
  leaf: Hash
  root: Hash
  proof: readonly Hash[]
}): LogFault | null {
  const { index, size, leaf, root, proof } = claim
  if (!isValidSize(size)) return 'BAD_SIZE'
  if (!isValidSize(index) || index >= size) return 'BAD_INDEX'
  const fault = findHashFault([leaf, root, ...proof])
  if (fault) return fault
  let [leafPosition, lastPosition] = [index, size - 1]
  let r = leaf
  for (const p of proof) {
    if (lastPosition === 0) return 'WRONG_COUNT_OF_HASHES'
    if (isOdd(leafPosition) || leafPosition === lastPosition) {
      r = hashNode(p, r)
      while (!isOdd(leafPosition) && leafPosition !== 0)
        [leafPosition, lastPosition] = [halve(leafPosition), halve(lastPosition)]
    } else r = hashNode(r, p)
    ;[leafPosition, lastPosition] = [halve(leafPosition), halve(lastPosition)]
  }
  if (lastPosition !== 0) return 'WRONG_COUNT_OF_HASHES'
  return isEqualHash(r, root) ? null : 'ROOT_DIFFERS'
}

/** Returns why the log of size `to` is not proven to extend that of size `from`, or null. */
export function findConsistencyFault(claim: {
  from: number
  to: number
  fromRoot: Hash
  toRoot: Hash
  proof: readonly Hash[]
}): LogFault | null {
  const { from, to, fromRoot, toRoot, proof } = claim
  if (!isValidSize(from) || !isValidSize(to)) return 'BAD_SIZE'
  if (from > to) return 'LOG_SHRANK'
  const fault = findHashFault([fromRoot, toRoot, ...proof])
  if (fault) return fault
  if (from === 0 || from === to) return findTrivialFault(claim)
  if (proof.length === 0) return 'WRONG_COUNT_OF_HASHES'
  // If the older log is a complete subtree, the verifier already has its root.
  const [firstHash, ...rest] = Number.isInteger(Math.log2(from)) ? [fromRoot, ...proof] : proof
  let [oldPosition, newPosition] = [from - 1, to - 1]
  while (isOdd(oldPosition)) [oldPosition, newPosition] = [halve(oldPosition), halve(newPosition)]
  let [oldRoot, newRoot] = [firstHash as Hash, firstHash as Hash]
  for (const hash of rest) {
    if (newPosition === 0) return 'WRONG_COUNT_OF_HASHES'
    if (isOdd(oldPosition) || oldPosition === newPosition) {
      oldRoot = hashNode(hash, oldRoot)
      newRoot = hashNode(hash, newRoot)
      while (!isOdd(oldPosition) && oldPosition !== 0)
        [oldPosition, newPosition] = [halve(oldPosition), halve(newPosition)]
    } else newRoot = hashNode(newRoot, hash)
    ;[oldPosition, newPosition] = [halve(oldPosition), halve(newPosition)]
  }
  if (newPosition !== 0) return 'WRONG_COUNT_OF_HASHES'
  if (!isEqualHash(oldRoot, fromRoot)) return 'OLD_ROOT_DIFFERS'
  return isEqualHash(newRoot, toRoot) ? null : 'ROOT_DIFFERS'
}

/** Every log is an extension of the empty log and of itself. No hash is needed; only the roots are compared. */
function findTrivialFault(claim: { from: number; to: number; fromRoot: Hash; toRoot: Hash; proof: readonly Hash[] }) {
  if (claim.proof.length > 0) return 'WRONG_COUNT_OF_HASHES'
  if (claim.from === 0 && !isEqualHash(claim.fromRoot, emptyRoot)) return 'OLD_ROOT_DIFFERS'
  if (claim.from === claim.to && !isEqualHash(claim.fromRoot, claim.toRoot)) return 'ROOT_DIFFERS'
  return null
}
