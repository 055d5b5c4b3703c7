import type { FastifyInstance } from 'fastify'

/** Code of a server that goes down (RFC 6455, 7.4.1). Clients connect again. */
const goingAway = 1001
/** Time in ms that a client gets to close its side. A device without a network never does. */
const maxCloseMs = 1000

/** Closes all WebSockets. Does not wait for the clients, but their connections are cut after some time. */
export function closeSockets({ websocketServer }: Pick<FastifyInstance, 'websocketServer'>): void {
  const sockets = [...websocketServer.clients]
  for (const socket of sockets) socket.close(goingAway)
  if (sockets.length > 0) setTimeout(() => sockets.forEach((socket) => socket.terminate()), maxCloseMs).unref()
}
