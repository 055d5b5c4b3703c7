/** Implements the definitions of RFC 6962, 2.1, literally, over lists of leaves. Slow, with Node's own SHA-256. */
import { createHash } from 'node:crypto'

type Bytes = Uint8Array
const sha256 = (...parts: Bytes[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** Returns the largest power of two that is smaller than n. */
function k(n: number): number {
  let power = 1
  while (power < n) power *= 2
  return power / 2
}

const knownRoots = new Map<string, Bytes>()

/** MTH(D[n]) of the RFC: the root of the tree. Cached for each list of leaves, because every proof needs it again. */
export function MTH(D: readonly Bytes[]): Bytes {
  const key = D.map((leaf) => Buffer.from(leaf).toString('latin1')).join('|')
  const root = knownRoots.get(key) ?? calculateMTH(D)
  knownRoots.set(key, root)
  return root
}

function calculateMTH(D: readonly Bytes[]): Bytes {
  const n = D.length
  if (n === 0) return sha256()
  if (n === 1) return sha256(Uint8Array.of(0), D[0] as Bytes)
  return sha256(Uint8Array.of(1), MTH(D.slice(0, k(n))), MTH(D.slice(k(n))))
}

/** PATH(m, D[n]) of the RFC: the hashes of an inclusion proof. */
export function PATH(m: number, D: readonly Bytes[]): Bytes[] {
  const n = D.length
  if (n === 1) return []
  return m < k(n)
    ? [...PATH(m, D.slice(0, k(n))), MTH(D.slice(k(n)))]
    : [...PATH(m - k(n), D.slice(k(n))), MTH(D.slice(0, k(n)))]
}

/** PROOF(m, D[n]) of the RFC: the hashes of a consistency proof. */
export const PROOF = (m: number, D: readonly Bytes[]): Bytes[] => SUBPROOF(m, D, true)

function SUBPROOF(m: number, D: readonly Bytes[], b: boolean): Bytes[] {
  const n = D.length
  if (m === n) return b ? [] : [MTH(D)]
  return m <= k(n)
    ? [...SUBPROOF(m, D.slice(0, k(n)), b), MTH(D.slice(k(n)))]
    : [...SUBPROOF(m - k(n), D.slice(k(n)), false), MTH(D.slice(0, k(n)))]
}

export const toHex = (bytes: Bytes): string => Buffer.from(bytes).toString('hex')
export const buildLeaf = (index: number): Bytes => new TextEncoder().encode(`leaf ${index}`)
export const buildLeaves = (size: number): Bytes[] => Array.from({ length: size }, (_, index) => buildLeaf(index))
