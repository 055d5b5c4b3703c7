/** Starts the thread of the embedded database and gives a pool of one connection to it. */
import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config.ts'
import { limits } from '#server/db/scope.ts'
import { makePool } from '#server/db/pool.ts'
import { PortStream } from '#server/db/embedded/stream.ts'
import type { Opening, Order, Report } from '#server/db/embedded/worker.ts'

export interface Engine {
  pool: Pool
  /** The whole database as a tar, as of now. */
  dump(): Promise<Uint8Array>
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

  const first = await nextReport(worker)
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
    async dump() {
      order({ do: 'dump' })
      const said = await nextReport(worker)
      if (said.said !== 'dump') throw new Error(`The database thread said ${said.said} instead of its dump`)
      return said.bytes
    },
    async close() {
      await pool.end()
      order({ do: 'close' })
      await nextReport(worker)
      await worker.terminate()
    },
  }
}

async function nextReport(worker: Worker): Promise<Report> {
  const [said] = await Promise.race([
    once(worker, 'message') as Promise<[Report]>,
    once(worker, 'exit').then((): [Report] => [{ said: 'failed', message: 'its thread ended' }]),
  ])
  return said
}
