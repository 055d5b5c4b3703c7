import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AppContext } from '#server/context/context.ts'
import type { Lifecycle } from '#server/context/lifecycle.ts'
import type { CountTimes } from '#server/http/counting/request-counter.ts'
import { type FloodLimits, defaultFloodLimits } from '#server/http/flood-limits.ts'
import type { BuildPublisher } from '#server/use-cases/client-builds/publish-build.ts'
import type { FindAsset } from '#server/use-cases/client-builds/published-assets.ts'
import type { ShareLimits } from '#server/shares/request-shares.ts'

export interface HttpSettings {
  dist: string
  site: string
  /** Maximum number of calls per minute and address, without a session or to endpoints that need none. */
  anonymousPerMinute: number
  /** Maximum number of existence queries per minute and address, without a session (2.2 of the deviations). */
  queriesPerMinute: number
  /** Maximum number of expensive calls per user and minute. A company may make twice as many (S-25). */
  costlyPerMinute: number
  /** Maximum number of writes per user and minute, single or in a batch. A company may make twice as many (decision 70). */
  writesPerMinute: number
  /** Times in ms of the counts for these limits in the database. */
  countTimes: Partial<CountTimes>
  floods: FloodLimits
  /** Limits of calls by one signed-in user, and by all users of a company (decision 70). */
  userCalls: ShareLimits
  companyCalls: ShareLimits
  /** Maximum time in ms for which an upload in pieces may send no data. */
  uploadIdleMs: number
  /** Maximum time in ms for which a piece of a stream may wait for a slow reader. */
  pieceWaitMs: number
  /** Maximum time in ms for which a connection may be idle in both directions once a response has started. */
  responseIdleMs: number
  /** Whether the client's files are stored for other nodes. Tests that do not need this turn it off. */
  publishesClient: boolean
}

export interface HttpContext {
  app: AppContext
  settings: HttpSettings
  build: ClientBuild
  assets: { find: FindAsset; publisher: BuildPublisher }
  lifecycle: Lifecycle
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
  countTimes: {},
  floods: defaultFloodLimits,
  userCalls: { maxConcurrent: 16, perSecond: 20, burst: 60 },
  companyCalls: { maxConcurrent: 32, perSecond: 40, burst: 120 },
  uploadIdleMs: 15_000,
  pieceWaitMs: 120_000,
  responseIdleMs: 60_000,
  publishesClient: true,
}

/** Reads `build.json` of the client. Without a build (development, tests) the nonce matches no style. */
export function readClientBuild(dist: string): ClientBuild {
  const file = join(dist, 'build.json')
  if (!existsSync(file)) return { build: 'none', styleNonce: 'none' }
  const clientBuild = JSON.parse(readFileSync(file, 'utf8')) as Partial<ClientBuild>
  return {
    build: String(clientBuild.build ?? 'none'),
    styleNonce: String(clientBuild.styleNonce ?? 'none').replace(/[^\w+/=-]/g, ''),
  }
}
