/**
 * Connections of one address, and of all. Where there are too many, the oldest that waits for nothing is closed: one that is kept open
 * for later, or whose request does not come to its end.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from '#server/shares/client-address.ts'
import { createRequestShare, type ShareLimits } from '#server/shares/request-shares.ts'

export interface ConnectionLimits {
  connections: number
  /** Of one address; null: all come from a proxy. */
  connectionsPerAddress: number | null
  /** New ones of one address. */
  connectionsPerSecond: ShareLimits
}

/** What a connection that was closed for its pipelined requests costs, in new connections. */
const pipelineCost = 500

/** Of one connection: a client may have the end of a response before we know that it is sent. */
const maxRequests = 2

export interface LimitedConnections {
  limit(server: Server): void
  /**
   * Browsers and proxies send one request after the other. Many at once are parsed before anything counts them, so their connection is
   * closed, and its address may open few others for a while. False for a request that is not to be looked at.
   */
  isAlone(request: IncomingMessage, response: ServerResponse): boolean
}

export function createConnectionLimits({
  connections,
  connectionsPerAddress,
  connectionsPerSecond,
}: ConnectionLimits): LimitedConnections {
  const byAddress = new Map<string, Set<Socket>>()
  const opened = createRequestShare(connectionsPerSecond)
  /** Requests of each that are not answered. */
  const atWork = new WeakMap<Socket, number>()
  let count = 0
  const countOf = (socket: Socket) => atWork.get(socket) ?? 0

  function closeOldestIdle(sockets: ReadonlySet<Socket>): boolean {
    for (const socket of sockets) {
      if (countOf(socket) > 0 || socket.destroyed) continue
      socket.destroy()
      return true
    }
    return false
  }

  const largest = () => [...byAddress.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Socket>())
  const addressOf = (socket: Socket) => addressGroup(socket.remoteAddress ?? '')

  function mayOpen(address: string, cost = 1): boolean {
    if (connectionsPerAddress === null) return true
    if (!opened.claim(address, cost)) return false
    opened.release(address)
    return true
  }

  function take(socket: Socket): void {
    const address = addressOf(socket)
    if (!mayOpen(address)) return void socket.destroy()
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
  }

  return {
    limit: (server) => void server.on('connection', take),
    isAlone({ socket }, response) {
      // What was parsed with the request that closed it.
      if (socket.destroyed) return false
      if (countOf(socket) >= maxRequests) {
        mayOpen(addressOf(socket), pipelineCost)
        socket.destroy()
        return false
      }
      atWork.set(socket, countOf(socket) + 1)
      response.on('close', () => atWork.set(socket, countOf(socket) - 1))
      return true
    },
  }
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
