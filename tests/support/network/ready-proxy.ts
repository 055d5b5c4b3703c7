/**
 * A small load balancer: sends each request to the next node that is ready, over connections that it keeps open, and repeats nothing. A
 * request that a node does not answer gets 502.
 */
import { once } from 'node:events'
import { Agent, createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface ProxiedNode {
  port: number
  healthPort: number
}

export interface ReadyProxy {
  url: string
  isReady(node: ProxiedNode): boolean
  close(): Promise<void>
}

const checkIntervalMs = 50

export async function openReadyProxy(nodes: readonly ProxiedNode[]): Promise<ReadyProxy> {
  const agent = new Agent({ keepAlive: true })
  const readyNodes = new Set<ProxiedNode>()
  let isClosing = false
  let turn = 0

  async function followNode(node: ProxiedNode): Promise<void> {
    while (!isClosing) {
      const response = await fetch(`http://127.0.0.1:${node.healthPort}/health/ready`).catch(() => null)
      if (response?.status === 200) readyNodes.add(node)
      else readyNodes.delete(node)
      await wait(checkIntervalMs)
    }
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const node = [...readyNodes][turn++ % readyNodes.size]
    const fail = () => response.writeHead(502).end()
    if (!node) return void fail()
    const { method, url: path, headers } = request
    const forwarded = sendRequest({ agent, host: '127.0.0.1', port: node.port, method, path, headers })
    forwarded.on('response', (message) => {
      const { connection: _ownConnection, ...otherHeaders } = message.headers
      response.writeHead(message.statusCode ?? 502, otherHeaders)
      message.pipe(response)
    })
    forwarded.on('error', fail)
    request.pipe(forwarded)
  }

  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const followed = nodes.map(followNode)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (node) => readyNodes.has(node),
    async close() {
      isClosing = true
      await Promise.all(followed)
      agent.destroy()
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
