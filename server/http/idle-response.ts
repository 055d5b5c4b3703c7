/** A reader that takes nothing any more. */
import type { Socket } from 'node:net'

/**
 * Node destroys a connection over which nothing moves for so long, and sets its own timeout again with the next request. A request that
 * is still being received has a timeout already.
 */
export function endIdleResponse(socket: Socket, idleMs: number): void {
  if (!socket.timeout) socket.setTimeout?.(idleMs)
}
