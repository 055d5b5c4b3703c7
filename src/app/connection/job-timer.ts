/**
 * Long requests as a page sees to them: while any is on its way it asks the worker each second to watch, or watches by
 * itself where no worker does. Asking is claimed in the rows, so pages and worker never ask twice.
 */
import { openProgressSocket } from '#app/connection/progress-socket.ts'
import { ports, postToWorker } from '#app/connection/api.ts'
import { subscribeToOpenJobs } from '#local/jobs/read-jobs.ts'
import { createJobActions } from '#request/page/job-actions.ts'
import type { JobActions } from '#request/call-results.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'

const tickMs = 1_000
/** Past this the worker that was told is not doing it: it is gone, or of a build that does not know how. */
const overdueMs = 3_000

const isVisible = () => document.visibilityState === 'visible'

function tick(immediate: boolean, isOverdue = false): void {
  const isPosted = postToWorker('watch', immediate)
  if (!isPosted || isOverdue) watchOpenJobs(ports, { immediate }).catch(ports.report)
}

/** Sees to them as long as the signed-in frame stands. Returns how to stop. */
export function watchJobs(): () => void {
  let openCount = 0
  let nextAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined
  let stopListening: (() => void) | undefined

  /** Only who is looked at listens; a hidden page is told by the polls of others, and asks when it is looked at again. */
  function listen(): void {
    // Anew: one from before the network went may be dead and not know it.
    stopListening?.()
    stopListening = isVisible() ? openProgressSocket(() => tick(false)) : undefined
  }

  const unsubscribe = subscribeToOpenJobs((openJobs) => {
    const hasMore = openJobs.openCount > openCount
    openCount = openJobs.openCount
    nextAt = openJobs.nextAt
    if (openCount === 0) {
      clearInterval(timer)
      timer = undefined
    } else timer ??= setInterval(() => tick(false, isVisible() && nextAt < Date.now() - overdueMs), tickMs)
    if (hasMore) tick(false)
  })
  const wake = () => {
    if (openCount > 0 && isVisible()) tick(true)
    listen()
  }
  window.addEventListener('online', wake)
  window.addEventListener('pageshow', wake)
  document.addEventListener('visibilitychange', wake)
  listen()
  return () => {
    unsubscribe()
    clearInterval(timer)
    stopListening?.()
    window.removeEventListener('online', wake)
    window.removeEventListener('pageshow', wake)
    document.removeEventListener('visibilitychange', wake)
  }
}

const ownActions = createJobActions(ports)

export const jobActions: JobActions = {
  ...ownActions,
  async retry(intent) {
    await ownActions.retry(intent)
    tick(true)
  },
}
