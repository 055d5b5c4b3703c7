/**
 * Long requests as a page sees to them: while any is on its way it asks the worker each second to watch, or watches by
 * itself where no worker does. Asking is claimed in the rows, so pages and worker never ask twice.
 */
import { listenToServer } from '#app/connection/progress-socket.ts'
import { ports, postToWorker } from '#app/connection/api.ts'
import { onOpenJobs } from '#local/jobs/read-jobs.ts'
import { jobsOf } from '#request/page/job-actions.ts'
import type { JobActions } from '#request/results.ts'
import { watch } from '#request/jobs/job-poller.ts'

const tickMs = 1_000
/** Past this the worker that was told is not doing it: it is gone, or of a build that does not know how. */
const overdueMs = 3_000

const isVisible = () => document.visibilityState === 'visible'

function tick(hurry: boolean, isOverdue = false): void {
  const isPosted = postToWorker('watch', hurry)
  if (!isPosted || isOverdue) watch(ports, { hurry }).catch(ports.report)
}

/** Sees to them as long as the signed-in frame stands. Returns how to stop. */
export function watchJobs(): () => void {
  let open = 0
  let nextAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined
  let hang: (() => void) | undefined

  /** Only who is looked at listens; a hidden page is told by the polls of others, and asks when it is looked at again. */
  function listen(): void {
    // Anew: one from before the network went may be dead and not know it.
    hang?.()
    hang = isVisible() ? listenToServer(() => tick(false)) : undefined
  }

  const stopHearing = onOpenJobs((now) => {
    const more = now.open > open
    open = now.open
    nextAt = now.nextAt
    if (open === 0) {
      clearInterval(timer)
      timer = undefined
    } else timer ??= setInterval(() => tick(false, isVisible() && nextAt < Date.now() - overdueMs), tickMs)
    if (more) tick(false)
  })
  const wake = () => {
    if (open > 0 && isVisible()) tick(true)
    listen()
  }
  window.addEventListener('online', wake)
  window.addEventListener('pageshow', wake)
  document.addEventListener('visibilitychange', wake)
  listen()
  return () => {
    stopHearing()
    clearInterval(timer)
    hang?.()
    window.removeEventListener('online', wake)
    window.removeEventListener('pageshow', wake)
    document.removeEventListener('visibilitychange', wake)
  }
}

const own = jobsOf(ports)

export const jobs: JobActions = {
  ...own,
  async again(intent) {
    await own.again(intent)
    tick(true)
  },
}
