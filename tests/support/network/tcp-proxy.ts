/** Forwards TCP connections. While it is frozen, it forwards nothing and closes nothing, like a host whose network was cut. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** Forwards nothing until `thaw`. New connections are accepted but not forwarded. */
  freeze(): void
  /** Forwards what has arrived in the meantime. */
  thaw(): void
  /** Number of connections that were opened. */
  count(): number
  close(): Promise<void>
}

export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  let connectionCount = 0
  const waiting: (() => void)[] = []

  function forward(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (!isFrozen) return void to.write(bytes)
      waiting.push(() => to.write(bytes))
    })
    from.on('error', () => undefined)
    from.on('close', () => (isFrozen ? waiting.push(() => to.destroy()) : to.destroy()))
  }
  const server = createServer((client) => {
    connectionCount += 1
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    forward(client, upstream)
    forward(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => void (isFrozen = true),
    thaw() {
      isFrozen = false
      for (const send of waiting.splice(0)) send()
    },
    count: () => connectionCount,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
