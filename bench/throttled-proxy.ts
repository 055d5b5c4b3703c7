/**
 * A gate before a server that can be made as slow as a line on the road. On the connection's level,
 * so that what a worker fetches passes it too: the browser's own throttling knows only the page.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** 150 ms there and back, 1.6 Mbit/s shared by all connections. */
const slowConnection = { halfwayMs: 75, bytesPerMs: 200 }
const pieceBytes = 2048

export interface ThrottledProxy {
  port: number
  setSlow: (isSlow: boolean) => void
  /** Resolves when nothing has passed for a while; after half a minute anyway. */
  waitForQuiet: (ms: number) => Promise<void>
  stop: () => Promise<void>
}

export async function openThrottledProxy(targetPort: number, port = 0): Promise<ThrottledProxy> {
  let isSlow = false
  let freeAt = 0
  let lastAt = performance.now()
  const sockets = new Set<Socket>()

  /** When the line has carried so much more. */
  function getDeliveryTime(length: number): number {
    freeAt = Math.max(performance.now(), freeAt) + length / slowConnection.bytesPerMs
    return freeAt
  }

  function forwardChunks(source: Socket, destination: Socket, isResponse: boolean): void {
    let lastWrite = Promise.resolve()
    source.on('data', (chunk) => {
      lastAt = performance.now()
      if (!isSlow) return void (lastWrite = lastWrite.then(() => void destination.write(chunk)))
      for (let offset = 0; offset < chunk.length; offset += pieceBytes) {
        const part = chunk.subarray(offset, offset + pieceBytes)
        const deliverAt = (isResponse ? getDeliveryTime(part.length) : performance.now()) + slowConnection.halfwayMs
        lastWrite = lastWrite.then(async () => {
          await wait(Math.max(0, deliverAt - performance.now()))
          lastAt = performance.now()
          if (!destination.destroyed) destination.write(part)
        })
      }
    })
    source.on('close', () => void lastWrite.then(() => destination.destroy()))
    source.on('error', () => destination.destroy())
  }

  function connectUpstream(client: Socket): void {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    forwardChunks(client, upstream, false)
    forwardChunks(upstream, client, true)
    client.resume()
  }

  const server = createServer((client) => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    client.pause()
    // A connection is made before anything is said over it: there and back once.
    if (isSlow) setTimeout(connectUpstream, 2 * slowConnection.halfwayMs, client)
    else connectUpstream(client)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')

  return {
    port: address.port,
    setSlow: (value) => void (isSlow = value),
    async waitForQuiet(ms) {
      const deadline = performance.now() + 30_000
      while (performance.now() - lastAt < ms && performance.now() < deadline) await wait(100)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
