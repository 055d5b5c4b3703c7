/**
 * Simulates a faulty connection between a browser and the real server: responses cut after the commit, hanging connections, 502 of a
 * gateway, a hotel's login page. Requests pass unchanged until a fault profile is set, which is called for every API call and may use a
 * seed. The proxy lists what arrived, because a browser may send more than the server performs: Chromium itself resends a POST if a reused
 * connection dies.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { tunnelUpgrade } from '#tests/support/network/tunnel-upgrade.ts'
import { type Random, pick } from '#tests/support/runner/random.ts'

/** All faults. `isPerformed` is true if the server receives the call. */
export const faults = {
  'cut before the answer': { isPerformed: true },
  'cut in the answer': { isPerformed: true },
  late: { isPerformed: true },
  slow: { isPerformed: true },
  twice: { isPerformed: true },
  'gateway timeout': { isPerformed: true },
  'hang after the deed': { isPerformed: true },
  'gateway error': { isPerformed: false },
  reset: { isPerformed: false },
  'login page': { isPerformed: false },
  hang: { isPerformed: false },
} as const
export type Fault = keyof typeof faults

export interface ArrivedCall {
  arrivedAt: number
  method: string
  path: string
  /** Idempotency-Key of the request, or those of a batch's items. */
  keys: string[]
  fault: Fault | null
  /** Time when the response was sent or the connection closed, or null while it is open. */
  endedAt: number | null
  /** Status of the response when it ended, or null before. */
  status: number | null
}

/** Returns the fault of a call, or null to forward it. Called once for each API call. */
export type FaultProfile = (call: Pick<ArrivedCall, 'method' | 'path' | 'keys'>) => Fault | null

export interface FaultProxy {
  url: string
  port: number
  arrivals: ArrivedCall[]
  /** Sets the fault profile until the next call of `set` or `clearFaults`. */
  set(faultProfile: FaultProfile): void
  /** Ends all faults. Hanging calls keep hanging, because a client is not notified of a dead connection. */
  clearFaults(): void
  /** Refuses new connections and resets open ones until `clearFaults`. */
  cut(): void
  /** Serves files of a folder directly, regardless of faults. */
  mount(prefix: string, folder: string): void
  close(): Promise<void>
}

export interface ForwardedResponse {
  status: number
  headers: string[]
  body: Buffer
}

const loginPage = '<!doctype html><title>Welcome to our hotel</title><form><input name="room"></form>'
const isCall = (path: string) => /^\/(api|public|health)\//.test(path)

export async function openFaultProxy(target: number): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const sockets = new Set<Socket>()
  const mounts = new Map<string, string>()
  const arrivals: ArrivedCall[] = []
  let faultProfile: FaultProfile | null = null
  let isCut = false

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    const file = findMountedFile(mounts, path)
    if (file) return await sendFile(response, file)
    const body = await readBody(request)
    if (!isCall(path)) return await sendResponse(response, await forwardRequest(agent, target, request, body))
    const call = { method: request.method ?? 'GET', path, keys: parseIdempotencyKeys(request, body) }
    const fault = faultProfile?.(call) ?? null
    const arrival: ArrivedCall = { arrivedAt: Date.now(), ...call, fault, endedAt: null, status: null }
    arrivals.push(arrival)
    response.on('close', () => {
      arrival.endedAt = Date.now()
      arrival.status = response.headersSent ? response.statusCode : null
    })
    await applyFault(fault, { request, response, forward: () => forwardRequest(agent, target, request, body) })
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // If browser or server closes early, only this connection is closed.
    handleRequest(request, response).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => {
    if (isCut) return void socket.resetAndDestroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('upgrade', (request, socket, head) => tunnelUpgrade(target, request, socket as Socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')

  return {
    url: `http://localhost:${address.port}`,
    port: address.port,
    arrivals,
    set: (next) => void (faultProfile = next),
    clearFaults() {
      faultProfile = null
      isCut = false
    },
    cut() {
      isCut = true
      for (const socket of sockets) socket.resetAndDestroy()
    },
    mount: (prefix, folder) => void mounts.set(prefix, folder),
    async close() {
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns a random profile. A share of the calls, 0 to 1, gets one of `choices`. `readings: false` excludes reads. */
export function createRandomFaults(
  random: Random,
  choices: readonly Fault[],
  { share = 1, readings: includesReads = true } = {},
): FaultProfile {
  return ({ method }) => {
    // A fault is drawn even if it is not used, so that the random sequence does not depend on the kinds of calls.
    const isFaulty = random() < share
    const fault = pick(random, choices)
    return isFaulty && (includesReads || method !== 'GET') ? fault : null
  }
}

interface FaultedExchange {
  request: IncomingMessage
  response: ServerResponse
  forward: () => Promise<ForwardedResponse>
}

async function applyFault(fault: Fault | null, { request, response, forward }: FaultedExchange): Promise<void> {
  const { socket } = request
  switch (fault) {
    case null:
      return await sendResponse(response, await forward())
    case 'cut before the answer':
      await forward()
      return void socket.resetAndDestroy()
    case 'cut in the answer':
      return cutInside(response, await forward())
    case 'late':
      await wait(1_500)
      return await sendResponse(response, await forward())
    case 'slow':
      return await trickle(response, await forward())
    case 'twice':
      // Sends the request twice at the same time and uses the first response. It may be the one that reports the other request as in
      // progress.
      return await sendResponse(response, await Promise.any([forward(), forward()]))
    case 'gateway timeout':
      await forward()
      return sendText(response, 504, 'text/html', '<h1>504 Gateway Time-out</h1>')
    case 'gateway error':
      return sendText(response, 502, 'text/html', '<h1>502 Bad Gateway</h1>')
    case 'reset':
      return void socket.resetAndDestroy()
    case 'login page':
      return sendText(response, 200, 'text/html', loginPage)
    case 'hang after the deed':
      return void (await forward())
    case 'hang':
      return
  }
}

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
}

async function sendResponse(response: ServerResponse, { status, headers, body }: ForwardedResponse): Promise<void> {
  response.writeHead(status, headers).end(body)
}

/** Sends half of the body with a larger content length, then closes the connection. */
function cutInside(response: ServerResponse, { status, headers, body }: ForwardedResponse): void {
  const half = body.subarray(0, body.length >> 1)
  response.writeHead(status, [
    ...headers.filter((_, index) => !isLength(headers, index)),
    'content-length',
    `${body.length + 1}`,
  ])
  response.write(half, () => setTimeout(() => response.socket?.destroy(), 20))
  // If half of the body is empty, only the headers are sent.
  if (half.length === 0) response.flushHeaders()
}

const isLength = (headers: string[], index: number) => headers[index - (index % 2)]?.toLowerCase() === 'content-length'

async function trickle(response: ServerResponse, { status, headers, body }: ForwardedResponse): Promise<void> {
  response.writeHead(status, headers)
  const pieces = 8
  for (let piece = 0; piece < pieces; piece++) {
    response.write(body.subarray((body.length * piece) / pieces, (body.length * (piece + 1)) / pieces))
    await wait(60)
  }
  response.end()
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'])

function removeHopHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !hopByHop.has(raw[index - (index % 2)]?.toLowerCase() ?? ''))
}

/** Resolves after the complete response was read, so the server has performed the request by then. */
function forwardRequest(
  agent: Agent,
  port: number,
  request: IncomingMessage,
  body: Buffer,
): Promise<ForwardedResponse> {
  return new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders } = request
    const headers = removeHopHeaders(rawHeaders)
    const clientRequest = ask({ agent, host: '127.0.0.1', port, method, path, headers }, (message) => {
      readBody(message).then(
        (bytes) =>
          resolve({ status: message.statusCode ?? 502, headers: removeHopHeaders(message.rawHeaders), body: bytes }),
        reject,
      )
    })
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

async function readBody(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function parseIdempotencyKeys({ headers, url }: IncomingMessage, body: Buffer): string[] {
  const ownKey = headers['idempotency-key']
  if (typeof ownKey === 'string') return [ownKey]
  if (url !== '/api/batch') return []
  return (JSON.parse(body.toString()) as { key: string }[]).map(({ key }) => key)
}

function findMountedFile(mounts: Map<string, string>, url: string): string | null {
  const path = url.split('?', 1)[0] ?? ''
  for (const [prefix, folder] of mounts)
    if (path.startsWith(prefix)) return join(folder, normalize(`/${path.slice(prefix.length)}`))
  return null
}

const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html' }

async function sendFile(response: ServerResponse, file: string): Promise<void> {
  const bytes = await readFile(file).catch(() => null)
  response.writeHead(bytes ? 200 : 404, {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'no-store',
    'service-worker-allowed': '/',
  })
  response.end(bytes)
}
