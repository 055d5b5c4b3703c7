/**
 * Polls long requests from a page: while any job is open, the page notifies the worker each second to poll, or polls itself without a
 * worker. Polls are claimed in the rows, so pages and worker never poll twice.
 */
import { openProgressSocket } from '#app/connection/progress-socket.ts'
import { ports, postToWorker } from '#app/connection/api.ts'
import { subscribeToOpenJobs } from '#local/jobs/read-jobs.ts'
import { createJobActions } from '#request/page/job-actions.ts'
import type { JobActions } from '#request/call-results.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'

const tickMs = 1_000
/** Time in ms after which an overdue poll shows that the worker does not poll: it was terminated, or its build does not support polling. */
const overdueMs = 3_000

const isVisible = () => document.visibilityState === 'visible'

function tick(immediate: boolean, isOverdue = false): void {
  const isPosted = postToWorker('watch', immediate)
  if (!isPosted || isOverdue) watchOpenJobs(ports, { immediate }).catch(ports.report)
}

/** Runs while the signed-in layout is mounted. Returns a stop function. */
export function watchJobs(): () => void {
  let openCount = 0
  let nextAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined
  let stopListening: (() => void) | undefined

  /** Opens the socket if the page is visible. A hidden page relies on the polls, and opens a socket when it becomes visible again. */
  function listen(): void {
    // Opens a new socket each time: a socket from before a network change may be dead without any event.
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
