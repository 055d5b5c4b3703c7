import type { Socket } from 'node:net'

/**
 * Limits how long a connection may be idle while a response is sent. Node resets the timeout with the next request. A request that is still
 * being received already has a timeout.
 */
export function endIdleResponse(socket: Socket, idleMs: number): void {
  if (!socket.timeout) socket.setTimeout?.(idleMs)
}
