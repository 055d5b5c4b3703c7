import { flushCompileCache } from 'node:module'
import { drain } from '#server/composition/close-app.ts'
import { closeOnSignal } from '#server/composition/close-on-signal.ts'
import type { NodeOptions } from '#server/composition/open-node.ts'
import { startApp } from '#server/composition/start-app.ts'
import { startJobs } from '#server/composition/start-jobs.ts'
import { createLifecycle } from '#server/context/lifecycle.ts'
import { createReadinessCheck, readinessMaxAgeMs } from '#server/use-cases/readiness.ts'

/** A timer with this interval only keeps the process alive. */
const keepAliveMs = 2 ** 30

/** Starts the jobs and the schedule. If the start fails, closes the opened resources and throws. */
export async function runWorker(node: NodeOptions): Promise<void> {
  const { log, health, settings } = node
  const running = await startApp(node, { demo: null, role: 'worker' })
  const lifecycle = createLifecycle()
  // Without a connection to the database, nothing else would keep the process alive.
  const keepAliveTimer = setInterval(() => undefined, keepAliveMs)
  const stopJobs = startJobs(running, null, 'local')
  health?.setCheck(createReadinessCheck(running.app, lifecycle, { maxAgeMs: readinessMaxAgeMs }))
  closeOnSignal(
    log,
    async (signal) => {
      lifecycle.phase = 'closing'
      await stopJobs()
      if (signal === 'SIGINT') await running.shutDownHosting()
      await Promise.all([running.close(), health?.close()])
      clearInterval(keepAliveTimer)
    },
    () => drain(log, lifecycle, settings.drainMs),
  )
  console.log('\n  The worker is running.\n')
  flushCompileCache()
}
