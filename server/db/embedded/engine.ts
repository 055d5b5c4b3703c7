/** Starts the thread of the embedded database and gives a pool of one connection to it. */
import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config/config.ts'
import { limits } from '#server/db/transaction.ts'
import { makePool } from '#server/db/pool.ts'
import { PortStream } from '#server/db/embedded/port-stream.ts'
import type { Opening, Order, Report } from '#server/db/embedded/worker.ts'

export interface Engine {
  pool: Pool
  /** Writes the whole database as of now into a tar, compressed where the name ends in `.gz`. */
  dumpTo(path: string): Promise<void>
  /** Must be called: an engine left open keeps the process alive. Ends the pool first. */
  close(): Promise<void>
}

/** Between two tries to start the thread again, in ms: it doubles each time. */
const restartMs = { first: 500, longest: 30_000 }

/**
 * A thread that ends takes nothing else with it: its connections are cut, which whoever uses them is told as 503, and it is started
 * again on the same files, as after a kill.
 */
export async function startEngine(opening: Opening, log: Logger): Promise<Engine> {
  let isClosing = false
  let restarting: Promise<void> | null = null
  // Null while it is started again.
  let worker: Worker | null = await openWorker(opening)
  watch(worker)

  function watch(watched: Worker): void {
    const lose = (reason: string) => {
      if (isClosing || worker !== watched) return
      worker = null
      log.error({ reason }, 'the embedded database broke and is started again')
      restarting = restart(watched).finally(() => (restarting = null))
    }
    watched.on('message', (said: Report) => {
      if (said.said === 'failed') lose(said.message)
    })
    watched.on('error', (error: Error) => lose(error.message))
    watched.on('exit', () => lose(threadEnded))
  }

  async function restart(broken: Worker): Promise<void> {
    await broken.terminate()
    for (let pauseMs = restartMs.first; !isClosing; pauseMs = Math.min(pauseMs * 2, restartMs.longest)) {
      try {
        const opened = await openWorker(opening)
        worker = opened
        watch(opened)
        log.warn('the embedded database is open again')
        return
      } catch (error) {
        log.error({ err: error }, 'the embedded database cannot be opened again')
        await wait(pauseMs, undefined, { ref: false })
      }
    }
  }

  const order = (what: Order) => worker?.postMessage(what, what.do === 'connect' ? [what.port] : [])

  const stream = () => {
    const { port1, port2 } = new MessageChannel()
    const connection = new PortStream(port1)
    if (worker) order({ do: 'connect', port: port2 })
    else port2.close()
    return connection
  }
  // A wait of 5 s at the pool is an error instead of a hang: also for a query beside one's own transaction.
  const pool = makePool(
    {
      stream,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: limits.queue,
    },
    log,
  )

  return {
    pool,
    async dumpTo(path) {
      const dumping = worker
      if (!dumping) throw new Error(`The dump ${path} could not be written: the database is not open`)
      order({ do: 'dump', path })
      const said = await reportOf(dumping, ['dumped', 'not dumped'])
      if (said.said !== 'dumped')
        throw new Error(`The dump ${path} could not be written: ${'message' in said ? said.message : said.said}`)
    },
    async close() {
      await pool.end()
      isClosing = true
      await restarting
      if (!worker) return
      const closed = reportOf(worker, ['closed'])
      order({ do: 'close' })
      await closed
      await worker.terminate()
    },
  }
}

/** Throws StartProblem. */
async function openWorker(opening: Opening): Promise<Worker> {
  // Flags of the process (a debugger's, a script's) are not this thread's.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: opening,
    name: 'database',
    execArgv: [],
  })
  // What it did not catch is told by its end; an event that nobody hears would end the process.
  worker.on('error', () => undefined)
  const first = await reportOf(worker, ['open'])
  if (first.said !== 'failed') return worker
  await worker.terminate()
  throw new StartProblem(`The embedded database cannot be opened: ${first.message}`)
}

const threadEnded = 'its thread ended'

/** The next report of these kinds; a dump may be at work beside the rest. A failure ends every waiting. */
function reportOf(worker: Worker, kinds: readonly Report['said'][]): Promise<Report> {
  return new Promise((resolve) => {
    const settle = (said: Report) => {
      worker.off('message', hear)
      worker.off('exit', leave)
      resolve(said)
    }
    const hear = (said: Report) => {
      if (kinds.includes(said.said) || said.said === 'failed') settle(said)
    }
    const leave = () => settle({ said: 'failed', message: threadEnded })
    worker.on('message', hear)
    worker.on('exit', leave)
  })
}
