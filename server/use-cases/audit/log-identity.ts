/**
 * What a log is called and signed by, both from the key of the installation: the same on all nodes, the same when the portal moves to
 * another host, and not in the database, so that whoever can write there can sign nothing.
 */
import { hkdfSync } from 'node:crypto'
import { openCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'

/** The installation's key is in its configuration. */
export type Keyed = Pick<AppContext, 'config'>

const derived = (key: Buffer, what: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, '', `audit trail: ${what}`, bytes))
const seedOf = (key: Buffer) => new Uint8Array(derived(key, 'key of checkpoints', 32))
const keyNow = ({ config }: Keyed) => config.auditKey ?? config.tokenKey

/** The middle of every origin. It stays when the key is changed: another name is another log. */
export const logsName = (app: Keyed): string =>
  app.config.auditName ?? derived(keyNow(app), 'name of the logs', 8).toString('hex')

/** First line of a company's checkpoints, and the name of its key. */
export const originOf = (app: Keyed, companyId: number): string => `portal-audit/${logsName(app)}/${companyId}`

/** Seed of the Ed25519 key, 32 bytes. */
export const signingSeed = (app: Keyed): Uint8Array => seedOf(keyNow(app))

/** Null: the key stays. One that was already put in the place of the other is no next one. */
export function nextSeed(app: Keyed): Uint8Array | null {
  const next = app.config.auditKeyNext
  return next === null || next.equals(keyNow(app)) ? null : seedOf(next)
}

/** The verifier key of a log that takes the place of the one now; null: the key stays. */
export function nextKeyOf(app: Keyed, companyId: number): string | null {
  const seed = nextSeed(app)
  return seed && verifierKeyOf(originOf(app, companyId), seed)
}

/** The verifier key that a note of that log is read by: the next one as soon as it has signed. `note` null: there is none yet. */
export function keyOf(app: Keyed, companyId: number, note: string | null): string {
  const next = nextKeyOf(app, companyId)
  if (next !== null && note !== null && isOpenedBy(note, next)) return next
  return verifierKeyOf(originOf(app, companyId), signingSeed(app))
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
