/** Starts the thread of the embedded database and gives a pool of one connection to it. */
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config.ts'
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

export async function startEngine(opening: Opening, log: Logger): Promise<Engine> {
  // Flags of the process (a debugger's, a script's) are not this thread's.
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: opening,
    name: 'database',
    execArgv: [],
  })
  const order = (what: Order) => worker.postMessage(what, what.do === 'connect' ? [what.port] : [])

  const first = await reportOf(worker, ['open'])
  if (first.said === 'failed') {
    await worker.terminate()
    throw new StartProblem(`The embedded database cannot be opened: ${first.message}`)
  }
  // Left uncaught on purpose, as the worker's own error is: without its database the process has to end.
  worker.on('message', (said: Report) => {
    if (said.said === 'failed') throw new Error(`the embedded database broke: ${said.message}`)
  })

  const stream = () => {
    const { port1, port2 } = new MessageChannel()
    order({ do: 'connect', port: port2 })
    return new PortStream(port1)
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
      order({ do: 'dump', path })
      const said = await reportOf(worker, ['dumped', 'not dumped'])
      if (said.said === 'not dumped') throw new Error(`The dump ${path} could not be written: ${said.message}`)
    },
    async close() {
      await pool.end()
      order({ do: 'close' })
      await reportOf(worker, ['closed'])
      await worker.terminate()
    },
  }
}

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
    const leave = () => settle({ said: 'failed', message: 'its thread ended' })
    worker.on('message', hear)
    worker.on('exit', leave)
  })
}
