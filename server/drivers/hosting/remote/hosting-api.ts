/** Answers questions of other nodes about the services of this node: their states and logs. It changes nothing. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { HostingError, type HostingDriver, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { apiPaths, type LastLine, type LogLineValues } from '#server/drivers/hosting/remote/protocol.ts'
import {
  createRequestCheck,
  signatureHeaders,
  type SignatureFault,
  signResponse,
} from '#server/drivers/hosting/remote/signatures.ts'

export interface HostingApi {
  port: number
  close(): Promise<void>
}

interface HostingApiOptions {
  driver: Pick<HostingDriver, 'look' | 'lookAll' | 'readLog'>
  /** Key of the installation (`deriveNodeKey`). */
  key: Buffer
  clock: () => number
  host: string
  /** 0 means any free port. */
  port: number
  log: Pick<Logger, 'warn'>
}

const limits = { headerBytes: 8192, headersMs: 10_000, connections: 200, reads: 100 }
/** Time in ms without a byte after which a connection is closed. Longer than a portal waits for its own reader. */
const idleMs = 300_000
const chunkLength = 65_536
const warningIntervalMs = 60_000

/** Rejects if the port or the address cannot be used. */
export async function startHostingApi({ driver, key, clock, host, port, log }: HostingApiOptions): Promise<HostingApi> {
  const checkRequest = createRequestCheck(key, clock)
  let activeReads = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  function warnOfRefusal(reason: SignatureFault, address: string | undefined): void {
    if (performance.now() - warnedAt < warningIntervalMs) return
    warnedAt = performance.now()
    log.warn(
      { event: 'hosting_request_refused', reason, address },
      'refused a request for the services of this node that no node of this portal has signed',
    )
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers, method } = request
    const checkResult = checkRequest(url, headers)
    if (method !== 'GET' || 'fault' in checkResult) {
      if ('fault' in checkResult) warnOfRefusal(checkResult.fault, request.socket.remoteAddress)
      return refuse(response, 404)
    }
    if (activeReads >= limits.reads) return refuse(response, 503)
    const lines = openLines(driver, new URL(url, 'http://node'))
    if (lines === null) return refuse(response, 404)
    activeReads += 1
    try {
      response.writeHead(200, {
        'content-type': 'application/x-ndjson',
        connection: 'close',
        [signatureHeaders.signature]: signResponse(key, checkResult.nonce),
      })
      // Sent at once, so that the other node knows that this one works.
      response.flushHeaders()
      await pipeline(Readable.from(joinLines(lines, reportFailure)), response)
    } finally {
      activeReads -= 1
    }
  }

  const reportFailure = (error: unknown) =>
    log.warn({ event: 'hosting_request_failed', err: error }, 'could not answer a question of another node')

  const server = createServer(
    { maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, requireHostHeader: true },
    (request, response) => {
      // The other node has ended its request, which is no failure.
      handleRequest(request, response).catch(() => response.destroy())
    },
  )
  server.maxConnections = limits.connections
  server.timeout = idleMs
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': '0' }).end()
}

/** Returns null if there is no such path. */
function openLines(
  driver: HostingApiOptions['driver'],
  { pathname, searchParams }: URL,
): AsyncIterable<unknown> | null {
  const readNumber = (name: string) => Number(searchParams.get(name) ?? Number.NaN)
  const ref: InstanceRef = { serviceId: readNumber('serviceId'), code: searchParams.get('code') ?? '' }
  if (pathname === apiPaths.states) return readStates(() => driver.lookAll())
  if (pathname === apiPaths.state) return readStates(async () => [await driver.look(ref)])
  if (pathname === apiPaths.log) return readLogLines(driver, ref, { from: readNumber('from'), to: readNumber('to') })
  return null
}

async function* readStates(read: () => Promise<readonly unknown[]>): AsyncGenerator<unknown> {
  yield* await read()
}

async function* readLogLines(
  driver: Pick<HostingDriver, 'readLog'>,
  ref: InstanceRef,
  range: { from: number; to: number },
): AsyncGenerator<LogLineValues> {
  for await (const { time, task, level, text } of driver.readLog(ref, range)) yield [time, task, level, text]
}

async function* joinLines(
  lines: AsyncIterable<unknown>,
  reportFailure: (error: unknown) => void,
): AsyncGenerator<string> {
  let chunk = ''
  let lastLine: LastLine = { end: true }
  try {
    for await (const line of lines) {
      chunk += `${JSON.stringify(line)}\n`
      if (chunk.length < chunkLength) continue
      yield chunk
      chunk = ''
    }
  } catch (error) {
    const isHostingError = error instanceof HostingError
    if (!isHostingError) reportFailure(error)
    lastLine = { fault: isHostingError ? error.fault : 'unreachable', message: String((error as Error).message) }
  }
  yield `${chunk}${JSON.stringify(lastLine)}\n`
}
