/**
 * A gate before a server that can be made as slow as a line on the road. On the connection's level,
 * so that what a worker fetches passes it too: the browser's own throttling knows only the page.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** 150 ms there and back, 1.6 Mbit/s shared by all connections. */
const slow = { halfwayMs: 75, bytesPerMs: 200 }
const piece = 2048

export interface Gate {
  port: number
  slow: (isSlow: boolean) => void
  /** Resolves when nothing has passed for a while; after half a minute anyway. */
  quiet: (ms: number) => Promise<void>
  stop: () => Promise<void>
}

export async function openGate(target: number, port = 0): Promise<Gate> {
  let isSlow = false
  let freeAt = 0
  let lastAt = performance.now()
  const sockets = new Set<Socket>()

  /** When the line has carried so much more. */
  function carried(length: number): number {
    freeAt = Math.max(performance.now(), freeAt) + length / slow.bytesPerMs
    return freeAt
  }

  function passOn(from: Socket, to: Socket, isAnswer: boolean): void {
    let turn = Promise.resolve()
    from.on('data', (chunk) => {
      lastAt = performance.now()
      if (!isSlow) return void (turn = turn.then(() => void to.write(chunk)))
      for (let at = 0; at < chunk.length; at += piece) {
        const part = chunk.subarray(at, at + piece)
        const due = (isAnswer ? carried(part.length) : performance.now()) + slow.halfwayMs
        turn = turn.then(async () => {
          await wait(Math.max(0, due - performance.now()))
          lastAt = performance.now()
          if (!to.destroyed) to.write(part)
        })
      }
    })
    from.on('close', () => void turn.then(() => to.destroy()))
    from.on('error', () => to.destroy())
  }

  function enter(client: Socket): void {
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    passOn(client, upstream, false)
    passOn(upstream, client, true)
    client.resume()
  }

  const server = createServer((client) => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    client.on('error', () => client.destroy())
    client.pause()
    // A connection is made before anything is said over it: there and back once.
    if (isSlow) setTimeout(enter, 2 * slow.halfwayMs, client)
    else enter(client)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')

  return {
    port: address.port,
    slow: (yes) => void (isSlow = yes),
    async quiet(ms) {
      const until = performance.now() + 30_000
      while (performance.now() - lastAt < ms && performance.now() < until) await wait(100)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
