/**
 * Runs PGlite in a thread of its own, because a heavy query blocks the thread. Its one database session serves one connection at a
 * time.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { gzip } from 'node:zlib'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

export interface EngineOptions {
  /** Null for a database in memory, for tests. */
  dataDir: string | null
  /** A dump to load at the start, for tests. */
  load: string | null
}

export type EngineOrder = { do: 'connect'; port: MessagePort } | { do: 'dump'; path: string } | { do: 'close' }
export type EngineReport =
  | { kind: 'open' | 'closed' | 'dumped' }
  | { kind: 'failed'; message: string }
  | { kind: 'not dumped'; message: string }

if (!parentPort) throw new Error('worker.ts is not a program: it runs only as a worker thread of the server')
const parent = parentPort
const sendReport = (report: EngineReport) => parent.postMessage(report)

const { dataDir, load } = workerData as EngineOptions

// Keeps unoptimised WebAssembly code in memory. Node 24 may crash with "Check failed: jit_page_->allocations_.erase" when it discards this
// code (nodejs/node#66366). Remove this flag with a Node version that has the fix.
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

// Runs work one piece at a time: connections open and close, but the engine has only one session.
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
  // Nobody reads the results of the remaining work, because the pool has already ended.
  isClosing = true
  await lastTurn
  await pglite.close()
  sendReport({ kind: 'closed' })
}

/** Writes a dump under another name and renames it when it is complete and synced. Queries wait only while the database files are read. */
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
  // If a connection closes during a transaction, the next connection must not find that transaction open.
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
    // The engine itself failed. An error of a query is returned in the protocol instead.
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
