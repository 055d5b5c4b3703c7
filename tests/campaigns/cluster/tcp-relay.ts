/** A TCP connection to a server that can be made to disappear without closing its connections, like a host that loses its power. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpRelay {
  port: number
  /** Connections stay open, but nothing is transferred, and new connections get no answer. */
  disappear(): void
  /** Transfers again. Connections from before stay silent, because a host that starts again does not know them. */
  comeBack(): void
  close(): Promise<void>
}

export async function openTcpRelay(target: number): Promise<TcpRelay> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isGone = false

  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => client.destroy())
    // Nothing answers, and the connection stays open.
    if (isGone) return void client.pause()
    const upstream = connect({ host: '127.0.0.1', port: target, noDelay: true })
    const pair = [client, upstream] as const
    pairs.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const [socket, other] of [pair, [upstream, client] as const]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        if (!pairs.delete(pair)) return
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    disappear() {
      isGone = true
      for (const pair of pairs) {
        pairs.delete(pair)
        const [client, upstream] = pair
        client.unpipe()
        upstream.unpipe()
        client.pause()
        // The database ends the sessions of clients that are gone.
        upstream.destroy()
      }
    },
    comeBack: () => void (isGone = false),
    async close() {
      for (const [client, upstream] of pairs) {
        client.destroy()
        upstream.destroy()
      }
      server.close()
      server.unref()
    },
  }
}
