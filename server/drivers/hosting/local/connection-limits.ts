/**
 * Connections of one address, and of all. Where there are too many, the oldest that waits for nothing is closed: one that is kept open
 * for later, or whose request does not come to its end.
 */
import type { Socket } from 'node:net'
import { addressGroup } from '#server/client-address.ts'
import type { IncomingMessage, Server, ServerResponse } from '#server/drivers/hosting/local/socket-http.ts'

export interface ConnectionLimits {
  connections: number
  /** Of one address; null: all come from a proxy. */
  connectionsPerAddress: number | null
}

export function limitConnections(server: Server, { connections, connectionsPerAddress }: ConnectionLimits): void {
  const byAddress = new Map<string, Set<Socket>>()
  /** Requests that each works on. */
  const atWork = new WeakMap<Socket, number>()
  let count = 0

  function closeOldestIdle(sockets: ReadonlySet<Socket>): boolean {
    for (const socket of sockets) {
      if ((atWork.get(socket) ?? 0) > 0 || socket.destroyed) continue
      socket.destroy()
      return true
    }
    return false
  }

  const largest = () => [...byAddress.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Socket>())

  server.on('connection', (socket) => {
    const address = addressGroup(socket.remoteAddress ?? '')
    const own = byAddress.get(address) ?? new Set()
    const isAddressFull = connectionsPerAddress !== null && own.size >= connectionsPerAddress
    if (isAddressFull && !closeOldestIdle(own)) return void socket.destroy()
    if (!isAddressFull && count >= connections && !closeOldestIdle(largest())) return void socket.destroy()
    byAddress.set(address, own.add(socket))
    count += 1
    socket.on('close', () => {
      count -= 1
      own.delete(socket)
      if (own.size === 0 && byAddress.get(address) === own) byAddress.delete(address)
    })
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    atWork.set(socket, (atWork.get(socket) ?? 0) + 1)
    response.on('close', () => atWork.set(socket, (atWork.get(socket) ?? 1) - 1))
  })
}

/** A reader that takes less while something waits for it is cut off. */
export interface SlowReaderLimits {
  checkMs: number
  minBytes: number
}

export function endSlowReader(response: ServerResponse, { checkMs, minBytes }: SlowReaderLimits): void {
  const { socket } = response.req
  const sentBytes = () => socket.bytesWritten - socket.writableLength
  let before = sentBytes()
  const timer = setInterval(() => {
    const isWaiting = socket.writableLength > 0 || response.writableLength > 0
    if (isWaiting && sentBytes() - before < minBytes) socket.destroy()
    before = sentBytes()
  }, checkMs).unref()
  response.on('close', () => clearInterval(timer))
}
