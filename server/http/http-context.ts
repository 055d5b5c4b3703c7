/** What the HTTP side is built from besides the house: folders, limits, and whether it is about to close. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AppContext } from '#server/context/context.ts'
import { type FloodLimits, defaultFloodLimits } from '#server/http/flood-limits.ts'
import type { ShareLimits } from '#server/shares/request-shares.ts'

export interface HttpSettings {
  /** The built client, served under /saas/. */
  dist: string
  /** The public pages, served at /. */
  site: string
  /** Calls without a session, per address and minute. */
  anonymousPerMinute: number
  /** Existence queries without a session, per address and minute (2.2 of the deviations). */
  queriesPerMinute: number
  /** Calls that cost the server much, per user and minute; a company has twice as many (S-25). */
  costlyPerMinute: number
  /** Writes, alone or in a batch, per user and minute; a company has twice as many (decision 70). */
  writesPerMinute: number
  /** What one address may send, whoever it is. */
  floods: FloodLimits
  /** Calls of a user who is signed in, and of all users of a company (decision 70). */
  userCalls: ShareLimits
  companyCalls: ShareLimits
  /** How long an upload in pieces may send nothing, ms. */
  uploadIdleMs: number
  /** How long a piece of a stream may wait for a reader that takes some of it now and then, ms. */
  pieceWaitMs: number
  /** How long a connection may stand still, in either direction, once a response is on its way, ms. */
  responseIdleMs: number
}

export interface HttpContext {
  app: AppContext
  settings: HttpSettings
  build: ClientBuild
  lifecycle: { isClosing: boolean }
}

export interface ClientBuild {
  build: string
  styleNonce: string
}

const projectRoot = resolve(import.meta.dirname, '../..')

export const defaultHttpSettings: HttpSettings = {
  dist: join(projectRoot, 'dist'),
  site: join(projectRoot, 'dist-site'),
  anonymousPerMinute: 600,
  queriesPerMinute: 60,
  costlyPerMinute: 60,
  writesPerMinute: 1200,
  floods: defaultFloodLimits,
  userCalls: { maxConcurrent: 16, perSecond: 20, burst: 60 },
  companyCalls: { maxConcurrent: 32, perSecond: 40, burst: 120 },
  uploadIdleMs: 15_000,
  pieceWaitMs: 120_000,
  responseIdleMs: 60_000,
}

/** What the client's build says of itself; without one (development, tests) no nonce fits anything. */
export function readClientBuild(dist: string): ClientBuild {
  const file = join(dist, 'build.json')
  if (!existsSync(file)) return { build: 'none', styleNonce: 'none' }
  const clientBuild = JSON.parse(readFileSync(file, 'utf8')) as Partial<ClientBuild>
  return {
    build: String(clientBuild.build ?? 'none'),
    styleNonce: String(clientBuild.styleNonce ?? 'none').replace(/[^\w+/=-]/g, ''),
  }
}
