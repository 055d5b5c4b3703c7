import type { Socket } from 'node:net'

/** Node resets this timeout with the next request. A request that is still being received already has one. */
export function endIdleResponse(socket: Socket, idleMs: number): void {
  if (!socket.timeout) socket.setTimeout?.(idleMs)
}
