/**
 * Name and signing key of a log, derived from the installation's key. They are the same on all nodes and after a move to another host. The
 * key is not in the database, so somebody who can write there can sign nothing.
 */
import { hkdfSync } from 'node:crypto'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'

export type AuditKeyContext = Pick<AppContext, 'config'>

const deriveKey = (key: Buffer, purpose: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, '', `audit trail: ${purpose}`, bytes))
const deriveSeed = (key: Buffer) => new Uint8Array(deriveKey(key, 'key of checkpoints', 32))
const getCurrentKey = ({ config }: AuditKeyContext) => config.auditKey ?? config.tokenKey

/**
 * The middle part of every origin. It must not change with the key, because another name means another log. So AUDIT_NAME is set when the
 * key is changed.
 */
export const getLogsName = (app: AuditKeyContext): string =>
  app.config.auditName ?? deriveKey(getCurrentKey(app), 'name of the logs', 8).toString('hex')

/** Origin of a company's log: first line of its checkpoints, and name of its key. */
export const getLogOrigin = (app: AuditKeyContext, companyId: number): string =>
  `portal-audit/${getLogsName(app)}/${companyId}`

/** Seed of the Ed25519 key that signs the logs, 32 bytes. */
export const getSigningSeed = (app: AuditKeyContext): Uint8Array => deriveSeed(getCurrentKey(app))

export function getNextSeed(app: AuditKeyContext): Uint8Array | null {
  const nextKey = app.config.auditKeyNext
  return nextKey === null || nextKey.equals(getCurrentKey(app)) ? null : deriveSeed(nextKey)
}

export function getNextVerifierKey(app: AuditKeyContext, companyId: number): string | null {
  const seed = getNextSeed(app)
  return seed && createVerifierKey(getLogOrigin(app, companyId), seed)
}

/**
 * Returns the key that verifies a note: the next key if that has signed it, otherwise the current key. `note` is null if nothing was
 * signed.
 */
export function getVerifierKey(app: AuditKeyContext, companyId: number, note: string | null): string {
  const nextKey = getNextVerifierKey(app, companyId)
  if (nextKey !== null && note !== null && isOpenedBy(note, nextKey)) return nextKey
  return createVerifierKey(getLogOrigin(app, companyId), getSigningSeed(app))
}

function isOpenedBy(note: string, key: string): boolean {
  try {
    openCheckpoint(note, key)
    return true
  } catch (error) {
    if (error instanceof LogError) return false
    throw error
  }
}
