/** Entries of the audit trail find their places in the log soon after they are written. */
import type { AppContext } from '#server/context.ts'
import { integrate } from '#server/services/audit/integrate.ts'

/** Between two looks, in ms: each costs a transaction for every company that wrote meanwhile, and an entry is to wait a second at most. */
const lookMs = 800

/** Answers how to stop, which waits for the batch at work. */
export function integrateOften(app: AppContext): () => Promise<void> {
  let isStopped = false
  let working: Promise<void> | null = null
  const timer = setInterval(() => {
    if (!app.database.hasFreeSpace()) return
    working ??= integrate(app, () => isStopped)
      .then(
        () => {},
        (error: unknown) => app.log.warn({ err: error }, 'entries of the audit trail could not be put into their log'),
      )
      .finally(() => {
        working = null
      })
  }, lookMs).unref()
  return async () => {
    isStopped = true
    clearInterval(timer)
    await working
  }
}
