import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Passes a WebSocket on to the server at the port. `rawHeaders` replaces the headers of the request. */
export function tunnelUpgrade(
  port: number,
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  rawHeaders = request.rawHeaders,
): void {
  const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
  const lines = rawHeaders.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`]))
  upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  upstream.write(head)
  upstream.pipe(client)
  client.pipe(upstream)
  for (const [socket, otherSocket] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.on('error', () => otherSocket.destroy())
    socket.on('close', () => otherSocket.destroy())
  }
}
