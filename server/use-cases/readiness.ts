/** Decides whether this process should get requests (S-86). */
import type { AppContext } from '#server/context/context.ts'
import type { Lifecycle } from '#server/context/lifecycle.ts'
import { isDatabaseHealthy } from '#server/use-cases/health.ts'

/**
 * Reasons why a process is not ready. `publishing`: its client is not in the file store yet. `database`: it does not respond in time, or is
 * not writable.
 */
export type UnreadyReason = 'starting' | 'publishing' | 'draining' | 'closing' | 'database'

/** Returns the reason why the process is not ready, or null if it is ready. */
export type ReadinessCheck = () => Promise<UnreadyReason | null>

/** Maximum age in ms of a result at HEALTH_PORT. A flood of checks causes one query a second. */
export const readinessMaxAgeMs = 1000

/** Maximum time in ms that a check waits for the database. Load balancers wait a few seconds for a response. */
const maxWaitMs = 2500

/**
 * Returns a check that uses a result for `maxAgeMs` and waits at most `waitMs` for the database. At most one query runs at a time, also if
 * the database does not respond: otherwise checks would occupy all connections.
 */
export function createReadinessCheck(
  app: AppContext,
  lifecycle: Lifecycle,
  { maxAgeMs, waitMs = maxWaitMs }: { maxAgeMs: number; waitMs?: number },
): ReadinessCheck {
  let activeQuery: Promise<boolean> | null = null
  let activeCheck: Promise<boolean> | null = null
  let lastCheck = { endedAt: Number.NEGATIVE_INFINITY, isHealthy: false }
  let wasReady: boolean | null = null

  async function checkDatabase(): Promise<boolean> {
    activeQuery ??= isDatabaseHealthy(app).finally(() => (activeQuery = null))
    const timeout = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => timeout.resolve(false), waitMs)
    const isHealthy = await Promise.race([activeQuery, timeout.promise])
    clearTimeout(timer)
    lastCheck = { endedAt: performance.now(), isHealthy }
    return isHealthy
  }

  async function readDatabaseHealth(): Promise<boolean> {
    if (performance.now() - lastCheck.endedAt < maxAgeMs) return lastCheck.isHealthy
    activeCheck ??= checkDatabase().finally(() => (activeCheck = null))
    return activeCheck
  }

  /** Logs only changes, because load balancers check every second. */
  function logChange(isReady: boolean): void {
    if (isReady === (wasReady ?? true)) return
    wasReady = isReady
    if (isReady) app.log.info({ event: 'readiness_regained' }, 'the server is ready again')
    else
      app.log.warn({ event: 'readiness_lost' }, 'the server is not ready, because the database does not accept writes')
  }

  return async () => {
    if (lifecycle.phase !== 'running') return lifecycle.phase
    if (!lifecycle.isPublished()) return 'publishing'
    const isHealthy = await readDatabaseHealth()
    logChange(isHealthy)
    // The signal may have arrived during the query.
    return getPhase(lifecycle) ?? (isHealthy ? null : 'database')
  }
}

const getPhase = ({ phase }: Lifecycle) => (phase === 'running' ? null : phase)
