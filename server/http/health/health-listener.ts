/**
 * Serves liveness and readiness checks at a port of their own, to callers of any address and with any Host header: load balancers check a
 * node by its IP address. Opened before the database, so that a node is live during a long migration.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  buildReadyResponse,
  type HealthResponse,
  healthPaths,
  liveResponse,
} from '#server/http/health/health-responses.ts'
import { jsonType } from '#server/http/responses.ts'
import { dataPolicy, getPath } from '#server/http/security-headers.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'
import { createConnectionLimits } from '#server/shares/connection-limits.ts'
import type { ReadinessCheck } from '#server/use-cases/readiness.ts'

export interface HealthListener {
  /** Sets the check of `/health/ready`. Before, the process is not ready. */
  setCheck(check: ReadinessCheck): void
  close(): Promise<void>
}

/**
 * Checks are short requests without a body. Times are in ms. `connectionsCheckingInterval` is how often Node looks for requests that exceed
 * the other times.
 */
const serverOptions = {
  maxHeaderSize: 8192,
  headersTimeout: 3000,
  requestTimeout: 3000,
  connectionsCheckingInterval: 1000,
}

/** A flood must not keep out the checks of a load balancer. */
const connectionLimits = {
  connections: 500,
  connectionsPerAddress: 100,
  connectionsPerSecond: { maxConcurrent: Infinity, perSecond: 100, burst: 400 },
}

const notFoundResponse: HealthResponse = {
  status: 404,
  headers: {},
  body: JSON.stringify(buildErrorBody('NOT_FOUND', null, 'en')),
}

/** Rejects with the system's error if it cannot listen there. */
export async function openHealthListener({ host, port }: { host: string; port: number }): Promise<HealthListener> {
  let check: ReadinessCheck = async () => 'starting'

  async function respond({ method = '', url = '' }: IncomingMessage): Promise<HealthResponse> {
    if (method !== 'GET' && method !== 'HEAD') return notFoundResponse
    const path = getPath(url)
    if (path === healthPaths.live) return liveResponse
    return path === healthPaths.ready ? buildReadyResponse(await check()) : notFoundResponse
  }

  const limits = createConnectionLimits(connectionLimits)
  const server = createServer(serverOptions, (request, response) => {
    if (limits.isAlone(request, response))
      respond(request).then(
        (healthResponse) => send(request, response, healthResponse),
        () => response.destroy(),
      )
  })
  limits.limit(server)
  server.listen({ host, port })
  // Rejects if the server emits 'error'.
  await once(server, 'listening')
  return {
    setCheck: (newCheck) => {
      check = newCheck
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The connection is closed after each response, so that idle connections do not accumulate. */
function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: HealthResponse): void {
  response.writeHead(status, {
    ...headers,
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': dataPolicy,
    connection: 'close',
  })
  response.end(method === 'HEAD' ? '' : body)
}
