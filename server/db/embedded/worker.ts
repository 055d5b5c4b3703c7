/**
 * The thread of the embedded database. PGlite runs on its caller's thread and would stop everything else during a heavy
 * query. One connection at a time is served: the pool before it has a size of one.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { gzip } from 'node:zlib'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

export interface EngineOptions {
  /** Null: in memory, for tests. */
  dataDir: string | null
  /** A dump to begin with, for tests. */
  load: string | null
}

export type EngineOrder = { do: 'connect'; port: MessagePort } | { do: 'dump'; path: string } | { do: 'close' }
export type EngineReport =
  | { kind: 'open' | 'closed' | 'dumped' }
  /** The engine cannot go on. */
  | { kind: 'failed'; message: string }
  | { kind: 'not dumped'; message: string }

if (!parentPort) throw new Error('This file is a thread of the server, not a program')
const parent = parentPort
const sendReport = (report: EngineReport) => parent.postMessage(report)

const { dataDir, load } = workerData as EngineOptions

// Node 24 may end by "Check failed: jit_page_->allocations_.erase" where it throws away slow WebAssembly code for quicker
// (nodejs/node#66366): the slow code is kept, too. To be taken out with a Node that has the correction.
setFlagsFromString('--no-wasm-code-gc')

try {
  const pglite = await PGlite.create({
    ...(dataDir === null ? {} : { dataDir }),
    ...(load === null ? {} : { loadDataDir: new Blob([await readFile(load)]) }),
  })
  parent.on('message', (order: EngineOrder) => void executeOrder(pglite, order))
  sendReport({ kind: 'open' })
} catch (error) {
  sendReport({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}

// One thing after the other: connections come and go, and the engine serves them as one.
let lastTurn = Promise.resolve()
let isClosing = false
const enqueue = (work: () => Promise<unknown>) => {
  lastTurn = lastTurn.then(async () => {
    if (!isClosing) await work()
  })
}

async function executeOrder(pglite: PGlite, order: EngineOrder): Promise<void> {
  if (order.do === 'connect') return serveConnection(pglite, order.port)
  if (order.do === 'dump') return writeDump(pglite, order.path)
  // What still waits has nobody who reads its answer: the pool has ended before.
  isClosing = true
  await lastTurn
  await pglite.close()
  sendReport({ kind: 'closed' })
}

/** Under its name only once it is whole and on the disk. The files are read between two queries, the rest beside them. */
async function writeDump(pglite: PGlite, path: string): Promise<void> {
  const draftPath = `${path}.draft`
  try {
    const tar = Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer())
    await writeFile(draftPath, path.endsWith('.gz') ? await promisify(gzip)(tar) : tar, { mode: 0o600, flush: true })
    await rename(draftPath, path)
    sendReport({ kind: 'dumped' })
  } catch (error) {
    await rm(draftPath, { force: true })
    sendReport({ kind: 'not dumped', message: error instanceof Error ? error.message : String(error) })
  }
}

function serveConnection(pglite: PGlite, port: MessagePort): void {
  port.on('message', (bytes: Uint8Array) => enqueue(() => executeMessage(pglite, port, bytes)))
  // Whoever hangs up in the middle of a transaction must not leave it to the next one.
  port.on('close', () => {
    for (const statement of ['rollback', 'discard all'])
      enqueue(() => pglite.execProtocolRaw(encodeSimpleQuery(statement)))
  })
}

const terminateMessage = 'X'.charCodeAt(0)

async function executeMessage(pglite: PGlite, port: MessagePort, bytes: Uint8Array): Promise<void> {
  if (bytes[0] === terminateMessage) return
  try {
    port.postMessage(await pglite.execProtocolRaw(bytes))
  } catch (error) {
    // The engine itself broke, not a query: queries answer their errors in the protocol.
    sendReport({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    port.close()
  }
}

function encodeSimpleQuery(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const message = Buffer.alloc(5 + text.length)
  message.write('Q', 0, 'latin1')
  message.writeInt32BE(4 + text.length, 1)
  text.copy(message, 5)
  return message
}
