/**
 * A small load balancer in front of several nodes of the portal. Each test decides which node gets the next request. Bodies are streamed in
 * both directions, and WebSockets are passed through.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { tunnelUpgrade } from '#tests/support/network/tunnel-upgrade.ts'

export interface HealthTarget {
  port: number
  healthPort: number
}

export interface Balancer {
  url: string
  port: number
  /** Sets the ports of the nodes. Requests go to them in turn. */
  setTargets(ports: readonly number[]): void
  /** Sends requests only to nodes whose `/health/ready` at `healthPort` answers 200, which is checked several times a second. */
  followHealth(nodes: readonly HealthTarget[]): void
  isReady(node: HealthTarget): boolean
  close(): Promise<void>
}

/** Time in ms between two checks of the nodes. */
const checkIntervalMs = 100

/**
 * With `keepAlive` it keeps its connections to the nodes open. Otherwise it opens one for each request, which cannot fail because a node has
 * just closed an idle one. It repeats no request: one that a node does not answer gets 502.
 */
export async function openBalancer({ keepAlive = false } = {}): Promise<Balancer> {
  const agent = new Agent({ keepAlive })
  const sockets = new Set<Socket>()
  let targets: readonly number[] = []
  let next = 0
  let stopFollowing = () => undefined as void

  const takeTarget = (): number | null => targets[next++ % Math.max(1, targets.length)] ?? null

  const server = createServer((request, response) => forward(agent, takeTarget(), request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('upgrade', (request, socket, head) => {
    const port = takeTarget()
    if (port === null) socket.destroy()
    else tunnelUpgrade(port, request, socket as Socket, head, toForwardedHeaders(request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    port,
    setTargets(ports) {
      stopFollowing()
      targets = ports
      next = 0
    },
    followHealth(nodes) {
      stopFollowing()
      const controller = new AbortController()
      stopFollowing = () => controller.abort()
      void followHealth(nodes, controller.signal, (ports) => {
        targets = ports
      })
    },
    isReady: ({ port: nodePort }) => targets.includes(nodePort),
    async close() {
      stopFollowing()
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const toForwardedHeaders = ({ rawHeaders, socket }: IncomingMessage) => [
  ...rawHeaders,
  'X-Forwarded-For',
  socket.remoteAddress ?? '',
]

async function followHealth(
  nodes: readonly HealthTarget[],
  signal: AbortSignal,
  onChange: (ports: number[]) => void,
): Promise<void> {
  while (!signal.aborted) {
    const states = await Promise.all(nodes.map(({ healthPort }) => isReady(healthPort)))
    if (signal.aborted) return
    onChange(nodes.filter((_, index) => states[index]).map(({ port }) => port))
    await wait(checkIntervalMs)
  }
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

function forward(agent: Agent, port: number | null, request: IncomingMessage, response: ServerResponse): void {
  if (port === null) return void response.writeHead(503, { 'content-type': 'text/plain' }).end('No node is ready')
  const { method, url: path } = request
  const headers = toForwardedHeaders(request)
  const upstream = sendRequest({ agent, host: '127.0.0.1', port, method, path, headers }, (message) => {
    const { connection: _ownConnection, ...otherHeaders } = message.headers
    response.writeHead(message.statusCode ?? 502, otherHeaders)
    message.on('error', () => response.destroy())
    message.pipe(response)
  })
  upstream.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { 'content-type': 'text/plain' }).end('Bad gateway')
  })
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
