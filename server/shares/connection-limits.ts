/**
 * Limits connections, in total and per address. At a limit, the oldest connection without an active request is closed, also one with an
 * incomplete request.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getAddressGroup } from '#server/shares/client-address.ts'
import { createRequestShare, type ShareLimits } from '#server/shares/request-shares.ts'

export interface ConnectionLimits {
  connections: number
  /** Maximum number of connections per address. Null if all connections come from a proxy. */
  connectionsPerAddress: number | null
  connectionsPerSecond: ShareLimits
}

/** Closing a connection because of pipelined requests counts as this many new connections. */
const pipelineCost = 500

/**
 * Maximum number of active requests per connection. It is two, because a client may receive the end of a response before the server knows
 * that it is sent.
 */
const maxRequests = 2

export interface LimitedConnections {
  limit(server: Server): void
  /**
   * Returns whether the request may be handled. Closes a connection with too many pipelined requests, because no other limit would count
   * them.
   */
  isAlone(request: IncomingMessage, response: ServerResponse): boolean
}

export function createConnectionLimits({
  connections,
  connectionsPerAddress,
  connectionsPerSecond,
}: ConnectionLimits): LimitedConnections {
  const socketsByAddress = new Map<string, Set<Socket>>()
  const openShare = createRequestShare(connectionsPerSecond)
  const activeRequests = new WeakMap<Socket, number>()
  let count = 0
  const countActive = (socket: Socket) => activeRequests.get(socket) ?? 0

  function closeOldestIdle(sockets: ReadonlySet<Socket>): boolean {
    for (const socket of sockets) {
      if (countActive(socket) > 0 || socket.destroyed) continue
      socket.destroy()
      return true
    }
    return false
  }

  const findLargestGroup = () =>
    [...socketsByAddress.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Socket>())
  const getAddress = (socket: Socket) => getAddressGroup(socket.remoteAddress ?? '')

  function claimOpening(address: string, cost = 1): boolean {
    if (connectionsPerAddress === null) return true
    if (!openShare.claim(address, cost)) return false
    openShare.release(address)
    return true
  }

  function acceptSocket(socket: Socket): void {
    const address = getAddress(socket)
    if (!claimOpening(address)) return void socket.destroy()
    const ownSockets = socketsByAddress.get(address) ?? new Set()
    const isAddressFull = connectionsPerAddress !== null && ownSockets.size >= connectionsPerAddress
    if (isAddressFull && !closeOldestIdle(ownSockets)) return void socket.destroy()
    if (!isAddressFull && count >= connections && !closeOldestIdle(findLargestGroup())) return void socket.destroy()
    socketsByAddress.set(address, ownSockets.add(socket))
    count += 1
    socket.on('close', () => {
      count -= 1
      ownSockets.delete(socket)
      if (ownSockets.size === 0 && socketsByAddress.get(address) === ownSockets) socketsByAddress.delete(address)
    })
  }

  return {
    limit: (server) => void server.on('connection', acceptSocket),
    isAlone({ socket }, response) {
      // The request was parsed together with the request that closed the connection.
      if (socket.destroyed) return false
      if (countActive(socket) >= maxRequests) {
        claimOpening(getAddress(socket), pipelineCost)
        socket.destroy()
        return false
      }
      activeRequests.set(socket, countActive(socket) + 1)
      response.on('close', () => activeRequests.set(socket, countActive(socket) - 1))
      return true
    },
  }
}

/** A reader is disconnected if it takes less than `minBytes` per `checkMs` while data waits for it. */
export interface SlowReaderLimits {
  checkMs: number
  minBytes: number
}

export function endSlowReader(response: ServerResponse, { checkMs, minBytes }: SlowReaderLimits): void {
  const { socket } = response.req
  const getSentBytes = () => socket.bytesWritten - socket.writableLength
  let previousBytes = getSentBytes()
  const timer = setInterval(() => {
    const isWaiting = socket.writableLength > 0 || response.writableLength > 0
    if (isWaiting && getSentBytes() - previousBytes < minBytes) socket.destroy()
    previousBytes = getSentBytes()
  }, checkMs).unref()
  response.on('close', () => clearInterval(timer))
}
