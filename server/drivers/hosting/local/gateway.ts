/**
 * One port of this machine for all services: `www.CODE.DOMAIN` and `admin.CODE.DOMAIN` lead to a healthy task, one after the other.
 * What comes in is taken for hostile: its parts are bounded, and of its headers nothing is passed on that is between us and them.
 */
import { randomInt } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { addressGroup, clientAddress } from '#server/shares/client-address.ts'
import type { InstanceAddress } from '#server/drivers/hosting/driver.ts'
import { readJsonFile, writeWhole } from '#server/drivers/hosting/local/atomic-file.ts'
import { forward } from '#server/drivers/hosting/local/forward.ts'
import { gatewayPage, type GatewayPage } from '#server/drivers/hosting/local/gateway-pages.ts'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from '#server/drivers/hosting/local/socket-http.ts'
import { createConnectionLimits, endSlowReader } from '#server/shares/connection-limits.ts'
import { createDelayedRefusals } from '#server/shares/delayed-refusals.ts'
import { createRequestShare, type RequestShare } from '#server/shares/request-shares.ts'

/** What it is told of a service. */
export interface Served {
  healthyTasks(): readonly { record: { socket: string } }[]
  wantsToRun(): boolean
}

export interface Gateway {
  addressOf(code: string): InstanceAddress
  close(): Promise<void>
}

const usualLimits = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 60_000,
  connections: 2000,
  connectionsPerAddress: 64,
  connectionsPerSecond: { atOnce: Infinity, perSecond: 100, burst: 200 },
  address: { atOnce: 32, perSecond: 50, burst: 200 },
  service: { atOnce: 128, perSecond: 200, burst: 400 },
  slowReader: { checkMs: 15_000, minBytes: 15_000 },
  /** How long an address that has used its share up waits for its refusal, and how many of them wait behind a proxy. */
  refusalMs: 1000,
  refusalsBehindProxy: 200,
}
export type GatewayLimits = typeof usualLimits
const faults: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const host = '127.0.0.1'
const againMs = 2000

export async function openGateway({
  folder,
  domain,
  port: wanted,
  find,
  trustProxy = 0,
  tls = false,
  limits: changedLimits = {},
}: {
  folder: string
  domain: string
  /** 0: any free one, the same as before where it can be had. */
  port: number
  /** The service that has that code now. */
  find: (code: string) => Served | null
  /** Proxies in front of it whose X-Forwarded-For is believed. */
  trustProxy?: number
  /** People reach services over TLS, by a proxy. */
  tls?: boolean
  limits?: Partial<GatewayLimits>
}): Promise<Gateway> {
  const limits = { ...usualLimits, ...changedLimits }
  const addresses = createRequestShare(limits.address)
  const services = createRequestShare(limits.service)
  const refuseLater = createDelayedRefusals({
    delayMs: limits.refusalMs,
    maxWaiting: trustProxy > 0 ? limits.refusalsBehindProxy : null,
  })
  const shape = new RegExp(`^(?:www|admin)\\.([a-z][a-z0-9]{2,15})\\.${domain.replaceAll('.', '\\.')}(?::\\d{1,5})?$`)
  let turn = 0
  const connections = createConnectionLimits({
    connections: limits.connections,
    connectionsPerAddress: trustProxy > 0 ? null : limits.connectionsPerAddress,
    connectionsPerSecond: limits.connectionsPerSecond,
  })

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (!connections.isAlone(request, response)) return
    endSlowReader(response, limits.slowReader)
    const named = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    // Two names would be read one way here and another way there.
    if (named.length !== 1 || !request.url?.startsWith('/')) return refuse(response, 400)
    if (!methods.has(request.method ?? '')) return refuse(response, 405)
    const address = clientAddress(request, trustProxy)
    if (!claim(addresses, addressGroup(address), response))
      return refuseLater(response, () => show(response, 'crowded', { connection: 'close' }))
    const [, code] = shape.exec(request.headers.host?.toLowerCase() ?? '') ?? []
    const instance = code === undefined ? null : find(code)
    if (!instance || code === undefined) return show(response, 'unknown')
    const tasks = instance.healthyTasks()
    if (tasks.length === 0) return show(response, instance.wantsToRun() ? 'starting' : 'stopped')
    if (!claim(services, code, response)) return show(response, 'busy', { connection: 'close' })
    turn = (turn + 1) % 1_000_000
    const inTurn = tasks.map((_, at) => tasks[(at + turn) % tasks.length]?.record.socket ?? '')
    forward(request, response, inTurn, { address, isSecure: tls }, (why) =>
      show(response, why, why === 'too-large' ? { connection: 'close' } : {}),
    )
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      insecureHTTPParser: false,
      requireHostHeader: true,
    },
    serve,
  )
  connections.limit(server)
  server.maxRequestsPerSocket = 1000
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const status = faults[error.code ?? ''] ?? '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })

  let again: NodeJS.Timeout | undefined
  const port = wanted || (await listenSomewhere(server, folder))
  if (wanted) listenAt(wanted)

  /** Somebody else may have it for now: services run all the same. */
  function listenAt(fixed: number, isFirst = true): void {
    server.once('error', (error) => {
      if (isFirst) console.error(new Date().toISOString(), `gateway: port ${fixed}`, error.message)
      again = setTimeout(() => listenAt(fixed, false), againMs)
    })
    server.listen(fixed, host, () => server.removeAllListeners('error'))
  }

  return {
    addressOf: (code) => ({
      url: `http://www.${code}.${domain}:${port}/`,
      adminUrl: `http://admin.${code}.${domain}:${port}/`,
    }),
    close() {
      clearTimeout(again)
      return new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
    },
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': '0' }).end()
}

function claim(shares: RequestShare, key: string, response: ServerResponse): boolean {
  if (!shares.claim(key)) return false
  response.on('close', () => shares.release(key))
  return true
}

function show(response: ServerResponse, page: GatewayPage, more: Record<string, string> = {}): void {
  if (response.headersSent) return void response.destroy()
  const { method = '' } = response.req
  const { status, headers, body } = gatewayPage(page, !['GET', 'HEAD'].includes(method))
  response.writeHead(status, { ...headers, ...more, 'content-length': String(Buffer.byteLength(body)) })
  response.end(response.req.method === 'HEAD' ? '' : body)
}

/** Below the numbers that systems give to outgoing connections, of which each would keep us from coming back. */
const ports = { first: 20_000, end: 32_000 }
const maxTries = 50

async function listenSomewhere(server: Server, folder: string): Promise<number> {
  const path = join(folder, 'gateway.json')
  const before = readJsonFile<{ port: number }>(path)?.port
  if (before && (await listens(server, before))) return before
  for (let tries = 0; tries < maxTries; tries++) {
    const port = tries === maxTries - 1 ? 0 : randomInt(ports.first, ports.end)
    if (!(await listens(server, port))) continue
    const found = (server.address() as AddressInfo).port
    writeWhole(path, JSON.stringify({ port: found }))
    return found
  }
  throw new Error('no port is free')
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((told) => {
    const failed = () => told(false)
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      told(true)
    })
  })
}
