/** The health check of hosted services: every few seconds, and as soon as their host says that something has changed. */
import type { AppContext } from '#server/context.ts'
import { onClock } from '#server/jobs/interval.ts'
import { lookAfterServices } from '#server/services/hosting/look-after.ts'

const pace = { firstMs: 4_000, everyMs: 5_000 }
/** What changes at once is looked at once, ms. */
const gatherMs = 300

/** Answers how to stop. */
export function lookAfterOften(app: AppContext): () => Promise<void> {
  const failed = 'hosted services could not be looked after'
  let looking: Promise<unknown> | null = null
  // One look at a time: a host that is slow to answer is not asked by many.
  const look = async () => {
    looking ??= lookAfterServices(app).finally(() => (looking = null))
    await looking
  }
  let soon: NodeJS.Timeout | null = null
  const unwatch = app.hosting.watch(() => {
    soon ??= setTimeout(() => {
      soon = null
      look().catch((error: unknown) => app.log.warn({ err: error }, failed))
    }, gatherMs)
  })
  const stop = onClock(app, pace, look, failed)
  return async () => {
    unwatch()
    if (soon) clearTimeout(soon)
    await Promise.all([stop(), looking?.catch(() => undefined)])
  }
}
