/**
 * Bad weather between a browser and the real server: answers cut after the commit, lines that hang, gateways that say
 * 502, a hotel's login page in the server's place. Everything passes untouched until a weather is set, which is asked
 * for every call and may draw its faults from a seed. It keeps a list of what arrived, because what a browser sent and
 * what a server did are two numbers: Chromium itself sends a POST twice when a used connection dies under it.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Chance, pick } from '#tests/support/runner/chance.ts'

/** `deed`: whether the server gets to see the call at all. */
export const faults = {
  'cut before the answer': { deed: true },
  'cut in the answer': { deed: true },
  late: { deed: true },
  slow: { deed: true },
  twice: { deed: true },
  'gateway timeout': { deed: true },
  'hang after the deed': { deed: true },
  'gateway error': { deed: false },
  reset: { deed: false },
  'login page': { deed: false },
  hang: { deed: false },
} as const
export type Fault = keyof typeof faults

export interface Arrival {
  at: number
  method: string
  path: string
  /** Idempotency-Key; of a batch, those of its items. */
  keys: string[]
  fault: Fault | null
  /** When its answer was sent or its connection was gone; null: it is still open. */
  endedAt: number | null
}

/** Asked once for each call of the API; null lets it pass. */
export type Weather = (call: Pick<Arrival, 'method' | 'path' | 'keys'>) => Fault | null

export interface FaultProxy {
  url: string
  port: number
  arrivals: Arrival[]
  /** Holds until the next one, or `heal`. */
  set(weather: Weather): void
  /** The line is good from here on. What hangs goes on hanging: nobody tells a client that its line is dead. */
  heal(): void
  /** No connection is taken, those that stand are reset; `heal` ends it. */
  cut(): void
  /** Files of a folder, answered by the proxy itself, whatever the weather. */
  mount(prefix: string, folder: string): void
  close(): Promise<void>
}

export interface Answer {
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
  const arrivals: Arrival[] = []
  let weather: Weather | null = null
  let isCut = false

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    const file = fileOf(mounts, path)
    if (file) return await sendFile(response, file)
    const body = await bodyOf(request)
    if (!isCall(path)) return await pass(response, await forward(agent, target, request, body))
    const call = { method: request.method ?? 'GET', path, keys: keysOf(request, body) }
    const fault = weather?.(call) ?? null
    const arrival: Arrival = { at: Date.now(), ...call, fault, endedAt: null }
    arrivals.push(arrival)
    response.on('close', () => (arrival.endedAt = Date.now()))
    await meet(fault, { request, response, forward: () => forward(agent, target, request, body) })
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // Whoever goes away early, browser or server, takes only this connection along.
    answer(request, response).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => {
    if (isCut) return void socket.resetAndDestroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('upgrade', (request, socket, head) => tunnel(target, request, socket as Socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')

  return {
    url: `http://localhost:${address.port}`,
    port: address.port,
    arrivals,
    set: (next) => void (weather = next),
    heal() {
      weather = null
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

/** A weather that draws for each call; `share` of them, 0 to 1, meet one of `all`. Readings too, unless it says no. */
export function drawn(chance: Chance, all: readonly Fault[], { share = 1, readings = true } = {}): Weather {
  return ({ method }) => {
    // Drawn even where it is not used: the throws stay in step with the calls.
    const isMet = chance() < share
    const fault = pick(chance, all)
    return isMet && (readings || method !== 'GET') ? fault : null
  }
}

interface Meeting {
  request: IncomingMessage
  response: ServerResponse
  forward: () => Promise<Answer>
}

async function meet(fault: Fault | null, { request, response, forward }: Meeting): Promise<void> {
  const { socket } = request
  switch (fault) {
    case null:
      return await pass(response, await forward())
    case 'cut before the answer':
      await forward()
      return void socket.resetAndDestroy()
    case 'cut in the answer':
      return cutInside(response, await forward())
    case 'late':
      await wait(1_500)
      return await pass(response, await forward())
    case 'slow':
      return await trickle(response, await forward())
    case 'twice':
      // Both at once, and whichever is first is believed: that may be the one that found the other at work.
      return await pass(response, await Promise.any([forward(), forward()]))
    case 'gateway timeout':
      await forward()
      return own(response, 504, 'text/html', '<h1>504 Gateway Time-out</h1>')
    case 'gateway error':
      return own(response, 502, 'text/html', '<h1>502 Bad Gateway</h1>')
    case 'reset':
      return void socket.resetAndDestroy()
    case 'login page':
      return own(response, 200, 'text/html', loginPage)
    case 'hang after the deed':
      return void (await forward())
    case 'hang':
      return
  }
}

function own(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
}

async function pass(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers).end(body)
}

/** Half of it, with the length of the whole. */
function cutInside(response: ServerResponse, { status, headers, body }: Answer): void {
  const half = body.subarray(0, body.length >> 1)
  response.writeHead(status, [
    ...headers.filter((_, at) => !isLength(headers, at)),
    'content-length',
    `${body.length + 1}`,
  ])
  response.write(half, () => setTimeout(() => response.socket?.destroy(), 20))
  // A body of nothing is cut by its length alone.
  if (half.length === 0) response.flushHeaders()
}

const isLength = (headers: string[], at: number) => headers[at - (at % 2)]?.toLowerCase() === 'content-length'

async function trickle(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  response.writeHead(status, headers)
  const pieces = 8
  for (let at = 0; at < pieces; at++) {
    response.write(body.subarray((body.length * at) / pieces, (body.length * (at + 1)) / pieces))
    await wait(60)
  }
  response.end()
}

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'])

function withoutHops(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !hopByHop.has(raw[at - (at % 2)]?.toLowerCase() ?? ''))
}

/** Read whole, so that the deed is done and known when it resolves. */
function forward(agent: Agent, port: number, request: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders } = request
    const headers = withoutHops(rawHeaders)
    const sent = ask({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      bodyOf(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 502, headers: withoutHops(answer.rawHeaders), body: bytes }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function keysOf({ headers, url }: IncomingMessage, body: Buffer): string[] {
  const own = headers['idempotency-key']
  if (typeof own === 'string') return [own]
  if (url !== '/api/batch') return []
  return (JSON.parse(body.toString()) as { key: string }[]).map(({ key }) => key)
}

/** A websocket is passed on as bytes. */
function tunnel(port: number, { method, url, rawHeaders }: IncomingMessage, client: Socket, head: Buffer): void {
  const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
  const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]))
  upstream.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  upstream.write(head)
  upstream.pipe(client)
  client.pipe(upstream)
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
}

function fileOf(mounts: Map<string, string>, url: string): string | null {
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
