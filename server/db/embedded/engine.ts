import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config/config.ts'
import { transactionTimeoutsMs } from '#server/db/timeouts.ts'
import { createPool } from '#server/db/pool.ts'
import { PortStream } from '#server/db/embedded/port-stream.ts'
import type { EngineOptions, EngineOrder, EngineReport } from '#server/db/embedded/worker.ts'

export interface EmbeddedEngine {
  pool: Pool
  /** Writes the current database to a tar file, compressed if the name ends in `.gz`. */
  dumpTo(path: string): Promise<void>
  /** Ends the pool and then the engine. Must be called, because an open engine keeps the process alive. */
  close(): Promise<void>
}

/** First and maximum wait between two attempts to restart the thread, in ms. The wait doubles each time. */
const restartMs = { first: 500, max: 30_000 }

/**
 * Starts the engine in a thread. If the thread ends, requests get a 503, and a new thread opens the same files, as a restart does after a
 * killed process.
 */
export async function startEngine(options: EngineOptions, log: Logger): Promise<EmbeddedEngine> {
  let isClosing = false
  let restartPromise: Promise<void> | null = null
  // Null during a restart.
  let worker: Worker | null = await openWorker(options)
  watchWorker(worker)

  function watchWorker(watchedWorker: Worker): void {
    const handleLoss = (reason: string) => {
      if (isClosing || worker !== watchedWorker) return
      worker = null
      log.error({ event: 'embedded_database_crashed', reason }, 'the embedded database crashed and is restarting')
      restartPromise = restartWorker(watchedWorker).finally(() => (restartPromise = null))
    }
    watchedWorker.on('message', (report: EngineReport) => {
      if (report.kind === 'failed') handleLoss(report.message)
    })
    watchedWorker.on('error', (error: Error) => handleLoss(error.message))
    watchedWorker.on('exit', () => handleLoss(threadEndedReason))
  }

  async function restartWorker(brokenWorker: Worker): Promise<void> {
    await brokenWorker.terminate()
    for (let pauseMs = restartMs.first; !isClosing; pauseMs = Math.min(pauseMs * 2, restartMs.max)) {
      try {
        const newWorker = await openWorker(options)
        worker = newWorker
        watchWorker(newWorker)
        log.warn({ event: 'embedded_database_restarted' }, 'the embedded database is running again')
        return
      } catch (error) {
        log.error(
          { event: 'embedded_database_restart_failed', err: error },
          'the embedded database could not be restarted; retrying',
        )
        await wait(pauseMs, undefined, { ref: false })
      }
    }
  }

  const sendOrder = (order: EngineOrder) => worker?.postMessage(order, order.do === 'connect' ? [order.port] : [])

  const stream = () => {
    const { port1, port2 } = new MessageChannel()
    const connection = new PortStream(port1)
    if (worker) sendOrder({ do: 'connect', port: port2 })
    else port2.close()
    return connection
  }
  // Waiting for a connection fails after 5 s. Otherwise code that holds the only connection in a transaction and runs a query outside it
  // would wait for ever.
  const pool = createPool(
    {
      stream,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: transactionTimeoutsMs.queue,
    },
    log,
  )

  return {
    pool,
    async dumpTo(path) {
      const dumpWorker = worker
      if (!dumpWorker) throw new Error(`Could not write the dump ${path}: the database is not open`)
      sendOrder({ do: 'dump', path })
      const report = await waitForReport(dumpWorker, ['dumped', 'not dumped'])
      if (report.kind !== 'dumped')
        throw new Error(`Could not write the dump ${path}: ${'message' in report ? report.message : report.kind}`)
    },
    async close() {
      await pool.end()
      isClosing = true
      await restartPromise
      if (!worker) return
      const closedReport = waitForReport(worker, ['closed'])
      sendOrder({ do: 'close' })
      await closedReport
      await worker.terminate()
    },
  }
}

/** Throws StartProblem if the database cannot be opened. */
async function openWorker(options: EngineOptions): Promise<Worker> {
  // No flags: those of the process (from a debugger or a script) must not be passed to the thread.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: options,
    name: 'database',
    execArgv: [],
  })
  // An unhandled error event would end the process. The thread's end is handled by its `exit` event.
  worker.on('error', () => undefined)
  const firstReport = await waitForReport(worker, ['open'])
  if (firstReport.kind !== 'failed') return worker
  await worker.terminate()
  throw new StartProblem(`Could not open the embedded database: ${firstReport.message}`)
}

const threadEndedReason = 'its thread ended'

/**
 * Resolves with the next report of one of these kinds. Others are ignored, because a dump may run at the same time. A failure ends every
 * wait.
 */
function waitForReport(worker: Worker, kinds: readonly EngineReport['kind'][]): Promise<EngineReport> {
  return new Promise((resolve) => {
    const settle = (report: EngineReport) => {
      worker.off('message', handleMessage)
      worker.off('exit', handleExit)
      resolve(report)
    }
    const handleMessage = (report: EngineReport) => {
      if (kinds.includes(report.kind) || report.kind === 'failed') settle(report)
    }
    const handleExit = () => settle({ kind: 'failed', message: threadEndedReason })
    worker.on('message', handleMessage)
    worker.on('exit', handleExit)
  })
}
