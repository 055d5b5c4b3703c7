/** Builds logs for tests: all tiles of a log in memory, as a server stores them, and signed checkpoints of the log. */
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { emptyRoot, type Hash, hashLeaf } from '#domain/audit-log/hash.ts'
import type { AuditLeaf } from '#domain/audit-log/leaf.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import { createNodeReader, type NodeReader, type LogTile } from '#domain/audit-log/tiles.ts'
import { appendLeaves, type TreeEdge, emptyEdge } from '#domain/audit-log/tree-edge.ts'

export interface TestLog {
  edge: TreeEdge
  root: Hash
  tiles: Map<string, LogTile>
  read: NodeReader
}

/** Builds a log in memory. `batch` is the number of leaves that are appended at once. */
export function buildLog(leaves: readonly (string | Uint8Array)[], batch = leaves.length || 1): TestLog {
  const tiles = new Map<string, LogTile>()
  let edge: TreeEdge = emptyEdge
  let root = emptyRoot
  for (let index = 0; index < leaves.length; index += batch) {
    const appended = appendLeaves(edge, leaves.slice(index, index + batch).map(hashLeaf))
    edge = appended.edge
    root = appended.root
    for (const tile of appended.changedTiles) tiles.set(`${tile.level}/${tile.index}`, tile)
  }
  return { edge, root, tiles, read: createNodeReader((level, index) => tiles.get(`${level}/${index}`)?.hashes) }
}

export const signer = { name: 'log.example/7', seed: Uint8Array.from({ length: 32 }, (_, index) => index) }
export const signerKey = createVerifierKey(signer.name, signer.seed)
export const otherSigner = { name: signer.name, seed: Uint8Array.from({ length: 32 }, (_, index) => index + 1) }

export const buildCheckpoint = (log: TestLog, epoch = 0): string =>
  signCheckpoint({ origin: signer.name, size: log.edge.size, root: log.root, epoch }, signer)

export function buildAuditLeaf(id: number, fields: Partial<AuditLeaf> = {}): string {
  return toCanonicalJson({
    v: 1,
    id,
    company: 7,
    actor_company: null,
    actor_hash: null,
    time: Date.UTC(2026, 4, 1) + id * 60_000,
    salt: id.toString(16).padStart(32, '0'),
    code: 'user',
    operation: 'update',
    user_id: 11,
    user_name: 'Li Wei',
    status: 0,
    info: { UserName: `user ${id}` },
    changes: [{ field: 'email', before: 'a@b.example', after: '伟@b.example' }],
    intent: null,
    request_id: `r-${id}`,
    ...fields,
  })
}

/** Returns the code of the fault that the action throws, or null. */
export function getErrorCode(action: () => unknown): string | null {
  try {
    action()
    return null
  } catch (error) {
    if (error instanceof LogError) return error.code
    throw error
  }
}

/** Returns a copy in which one bit of the byte at `index` is changed. */
export function flipBit(bytes: Uint8Array, index: number): Uint8Array {
  const copy = bytes.slice()
  copy[index] = (copy[index] ?? 0) ^ 1
  return copy
}
