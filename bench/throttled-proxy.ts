/**
 * A proxy in front of a server that can simulate a slow mobile connection. It works on TCP connections, so it also slows down the worker's
 * requests: the browser's own throttling affects only the page.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** The simulated connection: a round trip of 150 ms, and 1.6 Mbit/s shared by all connections. */
const slowConnection = { halfwayMs: 75, bytesPerMs: 200 }
const pieceBytes = 2048

export interface ThrottledProxy {
  port: number
  setSlow: (isSlow: boolean) => void
  /** Resolves when nothing was transferred for a while, or after half a minute. */
  waitForQuiet: (ms: number) => Promise<void>
  stop: () => Promise<void>
}

export async function openThrottledProxy(targetPort: number, port = 0): Promise<ThrottledProxy> {
  let isSlow = false
  let freeAt = 0
  let lastAt = performance.now()
  const sockets = new Set<Socket>()

  /** Returns the time at which the connection will have transferred this many more bytes. */
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
    // Opening a connection takes one round trip before any data.
    if (isSlow) setTimeout(connectUpstream, 2 * slowConnection.halfwayMs, client)
    else connectUpstream(client)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listening socket has no port')

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
