/**
 * What a log is called and signed by, both from the key of the installation: the same on all nodes, the same when the portal moves to
 * another host, and not in the database, so that whoever can write there can sign nothing.
 */
import { hkdfSync } from 'node:crypto'
import type { AppContext } from '#server/context.ts'

/** The installation's key is in its configuration. */
export type Keyed = Pick<AppContext, 'config'>

const derived = ({ config }: Keyed, what: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', config.auditKey ?? config.tokenKey, '', `audit trail: ${what}`, bytes))

/** First line of a company's checkpoints, and the name of its key. */
export const originOf = (app: Keyed, companyId: number): string =>
  `portal-audit/${derived(app, 'name of the logs', 8).toString('hex')}/${companyId}`

/** Seed of the Ed25519 key, 32 bytes. */
export const signingSeed = (app: Keyed): Uint8Array => new Uint8Array(derived(app, 'key of checkpoints', 32))
