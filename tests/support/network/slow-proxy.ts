/** Forwards TCP connections like a slow mobile network, for pages and their service workers alike. Requests are not delayed. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Chromium's "Slow 4G": time until the first byte of a response in ms, and bytes per ms. */
const [latencyMs, bytesPerMs] = [560, 180]

export interface SlowProxy {
  port: number
  /** Starts or stops delaying responses. */
  setSlow(isSlow: boolean): void
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1 and forwards to `target`. It is not slow until `setSlow`. */
export async function openSlowProxy(target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  let isSlow = false
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
    }
    client.on('data', (bytes) => upstream.write(bytes))
    client.on('close', () => upstream.destroy())
    // Time of the last byte. Each piece follows the one before it, so the order is kept.
    let lastAt = 0
    const schedule = (action: () => void, byteCount: number) => {
      const now = performance.now()
      lastAt = isSlow ? Math.max(now + latencyMs, lastAt + byteCount / bytesPerMs) : Math.max(now, lastAt)
      if (lastAt > now) setTimeout(action, lastAt - now)
      else action()
    }
    upstream.on('data', (bytes) => schedule(() => void (client.destroyed || client.write(bytes)), bytes.length))
    upstream.on('close', () => schedule(() => client.destroy(), 0))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    setSlow: (slow) => void (isSlow = slow),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
