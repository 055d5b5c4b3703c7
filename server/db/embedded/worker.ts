/**
 * The thread of the embedded database. PGlite runs on its caller's thread and would stop everything else during a heavy
 * query. One connection at a time is served: the pool before it has a size of one.
 */
import { readFile } from 'node:fs/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

export interface Opening {
  /** Null: in memory, for tests. */
  dataDir: string | null
  /** A dump to begin with, for tests. */
  load: string | null
}

export type Order = { do: 'connect'; port: MessagePort } | { do: 'dump' } | { do: 'close' }
export type Report =
  | { said: 'open' | 'closed' }
  | { said: 'failed'; message: string }
  | { said: 'dump'; bytes: Uint8Array }

if (!parentPort) throw new Error('This file is a thread of the server, not a program')
const parent = parentPort
const report = (said: Report) => parent.postMessage(said)

const { dataDir, load } = workerData as Opening

try {
  const pglite = await PGlite.create({
    ...(dataDir === null ? {} : { dataDir }),
    ...(load === null ? {} : { loadDataDir: new Blob([await readFile(load)]) }),
  })
  parent.on('message', (order: Order) => void carryOut(pglite, order))
  report({ said: 'open' })
} catch (error) {
  report({ said: 'failed', message: error instanceof Error ? error.message : String(error) })
}

async function carryOut(pglite: PGlite, order: Order): Promise<void> {
  if (order.do === 'connect') return connect(pglite, order.port)
  if (order.do === 'dump') {
    const dump = await pglite.dumpDataDir('none')
    return report({ said: 'dump', bytes: new Uint8Array(await dump.arrayBuffer()) })
  }
  await pglite.close()
  report({ said: 'closed' })
}

function connect(pglite: PGlite, port: MessagePort): void {
  let turn = Promise.resolve()
  port.on('message', (bytes: Uint8Array) => {
    turn = turn.then(() => answer(pglite, port, bytes))
  })
  // Whoever hangs up in the middle of a transaction must not leave it to the next one.
  port.on('close', () => {
    turn = turn.then(async () => {
      await pglite.execProtocolRaw(simpleQuery('rollback')).catch(() => undefined)
      await pglite.execProtocolRaw(simpleQuery('discard all')).catch(() => undefined)
    })
  })
}

const goodbye = 'X'.charCodeAt(0)

async function answer(pglite: PGlite, port: MessagePort, bytes: Uint8Array): Promise<void> {
  if (bytes[0] === goodbye) return
  try {
    port.postMessage(await pglite.execProtocolRaw(bytes))
  } catch (error) {
    // The engine itself broke, not a query: queries answer their errors in the protocol.
    report({ said: 'failed', message: error instanceof Error ? error.message : String(error) })
    port.close()
  }
}

function simpleQuery(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const message = Buffer.alloc(5 + text.length)
  message.write('Q', 0, 'latin1')
  message.writeInt32BE(4 + text.length, 1)
  text.copy(message, 5)
  return message
}
