/**
 * What a log is called and signed by, both from the key of the installation: the same on all nodes, the same when the portal moves to
 * another host, and not in the database, so that whoever can write there can sign nothing.
 */
import { hkdfSync } from 'node:crypto'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'

/** The installation's key is in its configuration. */
export type AuditKeyContext = Pick<AppContext, 'config'>

const deriveKey = (key: Buffer, purpose: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, '', `audit trail: ${purpose}`, bytes))
const deriveSeed = (key: Buffer) => new Uint8Array(deriveKey(key, 'key of checkpoints', 32))
const getCurrentKey = ({ config }: AuditKeyContext) => config.auditKey ?? config.tokenKey

/** The middle of every origin. It stays when the key is changed: another name is another log. */
export const getLogsName = (app: AuditKeyContext): string =>
  app.config.auditName ?? deriveKey(getCurrentKey(app), 'name of the logs', 8).toString('hex')

/** First line of a company's checkpoints, and the name of its key. */
export const getLogOrigin = (app: AuditKeyContext, companyId: number): string =>
  `portal-audit/${getLogsName(app)}/${companyId}`

/** Seed of the Ed25519 key, 32 bytes. */
export const getSigningSeed = (app: AuditKeyContext): Uint8Array => deriveSeed(getCurrentKey(app))

/** Null: the key stays. One that was already put in the place of the other is no next one. */
export function getNextSeed(app: AuditKeyContext): Uint8Array | null {
  const nextKey = app.config.auditKeyNext
  return nextKey === null || nextKey.equals(getCurrentKey(app)) ? null : deriveSeed(nextKey)
}

/** The verifier key of a log that takes the place of the one now; null: the key stays. */
export function getNextVerifierKey(app: AuditKeyContext, companyId: number): string | null {
  const seed = getNextSeed(app)
  return seed && createVerifierKey(getLogOrigin(app, companyId), seed)
}

/** The verifier key that a note of that log is read by: the next one as soon as it has signed. `note` null: there is none yet. */
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
