/**
 * Serves all services on one port. Requests to `www.CODE.DOMAIN` and `admin.CODE.DOMAIN` go to the healthy tasks in turn. Requests are
 * untrusted: sizes are limited, headers that only a proxy may set are dropped, and the control endpoint of an instance is never reached.
 */
import { getAddressGroup, getClientAddress } from '#server/shares/client-address.ts'
import type { InstanceAddress } from '#server/drivers/hosting/hosting-driver.ts'
import { canReachControl } from '#server/drivers/hosting/gateway/control-path.ts'
import { createEndpointOrder } from '#server/drivers/hosting/gateway/endpoint-order.ts'
import { forward } from '#server/drivers/hosting/gateway/forward.ts'
import { listenOnFreePort, listenWithRetries, type PortOptions } from '#server/drivers/hosting/gateway/gateway-port.ts'
import { getGatewayPage, type GatewayPage } from '#server/drivers/hosting/gateway/gateway-pages.ts'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from '#server/drivers/hosting/gateway/socket-http.ts'
import type { TaskEndpoint } from '#server/drivers/hosting/gateway/task-endpoint.ts'
import { createConnectionLimits, endSlowReader } from '#server/shares/connection-limits.ts'
import { createDelayedRefusals } from '#server/shares/delayed-refusals.ts'
import { createRequestShare, type RequestShare } from '#server/shares/request-shares.ts'

export interface GatewayTarget {
  /** Endpoints of the healthy tasks. */
  listEndpoints(): readonly TaskEndpoint[]
  /** False if the service is stopped. Decides which page is displayed while no task is healthy. */
  shouldRun(): boolean
}

export interface HostingGateway {
  getAddress(code: string): InstanceAddress
  /** Accepts no more connections. Running requests may continue for `drainMs` (by default 0). */
  close(options?: { drainMs?: number }): Promise<void>
}

const defaultLimits = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 60_000,
  connections: 2000,
  connectionsPerAddress: 64,
  connectionsPerSecond: { maxConcurrent: Infinity, perSecond: 100, burst: 200 },
  address: { maxConcurrent: 32, perSecond: 50, burst: 200 },
  service: { maxConcurrent: 128, perSecond: 200, burst: 400 },
  slowReader: { checkMs: 15_000, minBytes: 15_000 },
  /** Delay in ms before an address that has used up its share is refused, and maximum number of refusals that wait behind a proxy. */
  refusalMs: 1000,
  refusalsBehindProxy: 200,
  /** Timeout in ms for the connection to a task. */
  connectMs: 3000,
}
export type GatewayLimits = typeof defaultLimits
const statusLinesByCode: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export async function openGateway({
  folder,
  domain,
  host = '127.0.0.1',
  port: configuredPort,
  findTarget,
  trustProxy = 0,
  tls = false,
  limits: limitOverrides = {},
  ...portOptions
}: PortOptions & {
  /** Folder in which a port that was chosen is remembered. */
  folder: string
  domain: string
  /** Address on which the gateway listens. */
  host?: string
  /** Port of the gateway; 0 chooses a free port, preferably the previous one. */
  port: number
  findTarget: (code: string) => GatewayTarget | null
  /** Number of proxies in front of the gateway whose X-Forwarded-For is trusted. */
  trustProxy?: number
  /** True if a proxy in front of the gateway terminates TLS. */
  tls?: boolean
  limits?: Partial<GatewayLimits>
}): Promise<HostingGateway> {
  const limits = { ...defaultLimits, ...limitOverrides }
  const addresses = createRequestShare(limits.address)
  const services = createRequestShare(limits.service)
  const refuseLater = createDelayedRefusals({
    delayMs: limits.refusalMs,
    maxWaiting: trustProxy > 0 ? limits.refusalsBehindProxy : null,
  })
  const hostPattern = new RegExp(
    `^(?:www|admin)\\.([a-z][a-z0-9]{2,15})\\.${domain.replaceAll('.', '\\.')}(?::\\d{1,5})?$`,
  )
  const readServiceCode = ({ headers }: IncomingMessage) =>
    hostPattern.exec(headers.host?.toLowerCase() ?? '')?.[1] ?? ''
  const order = createEndpointOrder()
  const connections = createConnectionLimits({
    connections: limits.connections,
    connectionsPerAddress: trustProxy > 0 ? null : limits.connectionsPerAddress,
    connectionsPerSecond: limits.connectionsPerSecond,
  })

  function handleRequest(request: IncomingMessage, response: ServerResponse): void {
    if (!connections.isAlone(request, response)) return
    endSlowReader(response, limits.slowReader)
    const refusalStatus = findRefusalStatus(request)
    if (refusalStatus !== null) return refuse(response, refusalStatus)
    const address = getClientAddress(request, trustProxy)
    if (!claimShare(addresses, getAddressGroup(address), response))
      return refuseLater(response, () => sendPage(response, 'crowded', { connection: 'close' }))
    const code = readServiceCode(request)
    const target = code && findTarget(code)
    if (!target || canReachControl(request.url ?? '')) return sendPage(response, 'unknown')
    const endpoints = target.listEndpoints()
    if (endpoints.length === 0) return sendPage(response, target.shouldRun() ? 'starting' : 'stopped')
    if (!claimShare(services, code, response)) return sendPage(response, 'busy', { connection: 'close' })
    forward(request, response, {
      endpoints: order.arrange(endpoints),
      client: { address, isSecure: tls },
      connectMs: limits.connectMs,
      onUnreachable: order.markUnreachable,
      fail: (reason) => sendPage(response, reason, reason === 'too-large' ? { connection: 'close' } : {}),
    })
  }

  const server = createGatewayServer(limits, handleRequest)
  connections.limit(server)
  const port = configuredPort || (await listenOnFreePort(server, folder, host))
  const stopRetries = configuredPort ? listenWithRetries(server, port, host, portOptions) : () => undefined

  return {
    getAddress: (code) => ({
      url: `http://www.${code}.${domain}:${port}/`,
      adminUrl: `http://admin.${code}.${domain}:${port}/`,
    }),
    close({ drainMs = 0 } = {}) {
      stopRetries()
      return closeServer(server, drainMs)
    },
  }
}

function createGatewayServer(
  limits: GatewayLimits,
  handleRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
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
    handleRequest,
  )
  server.maxRequestsPerSocket = 1000
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const status = statusLinesByCode[error.code ?? ''] ?? '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  })
  return server
}

function closeServer(server: Server, drainMs: number): Promise<void> {
  // Without this, a connection whose last request has ended stays open for the next one.
  const idleTimer = setInterval(() => server.closeIdleConnections(), 100)
  const drainTimer = setTimeout(() => server.closeAllConnections(), drainMs)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(idleTimer)
      clearTimeout(drainTimer)
      resolve()
    })
    if (drainMs === 0) server.closeAllConnections()
  })
}

function findRefusalStatus({ rawHeaders, url, method = '' }: IncomingMessage): 400 | 405 | null {
  const hostHeaders = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  // With two Host headers the gateway and the task could use different ones.
  if (hostHeaders.length !== 1 || !url?.startsWith('/')) return 400
  return methods.has(method) ? null : 405
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': '0' }).end()
}

function claimShare(shares: RequestShare, key: string, response: ServerResponse): boolean {
  if (!shares.claim(key)) return false
  response.on('close', () => shares.release(key))
  return true
}

function sendPage(response: ServerResponse, page: GatewayPage, extraHeaders: Record<string, string> = {}): void {
  if (response.headersSent) return void response.destroy()
  const { method = '' } = response.req
  const { status, headers, body } = getGatewayPage(page, !['GET', 'HEAD'].includes(method))
  response.writeHead(status, { ...headers, ...extraHeaders, 'content-length': String(Buffer.byteLength(body)) })
  response.end(response.req.method === 'HEAD' ? '' : body)
}
