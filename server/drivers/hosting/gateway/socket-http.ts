/**
 * Sends HTTP between portal, supervisor, gateway and tasks. `requestSocket` uses local sockets, so its requests never leave the machine. The
 * gateway also sends requests to the addresses of tasks in a private network.
 */
import { type IncomingMessage, request } from 'node:http'

export { createServer, request, ServerResponse } from 'node:http'
export type { ClientRequest, IncomingMessage, Server } from 'node:http'

/** Headers that let the client close each connection. If the server closed it, a client that is still writing would lose the response. */
export const keepAliveHeaders = { connection: 'keep-alive' } as const

export interface SocketRequest {
  method: 'GET' | 'POST'
  path: string
  body?: string
  timeoutMs: number
  maxBytes?: number
}

/** Rejects if there is no response in time, or if the response is too large. */
export function requestSocket(
  socketPath: string,
  { method, path, body, timeoutMs, maxBytes = 16_000_000 }: SocketRequest,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      {
        socketPath,
        method,
        path,
        agent: false,
        headers: { host: 'socket', 'content-type': 'application/json', ...keepAliveHeaders },
      },
      (response) => {
        readText(response, maxBytes).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject)
      },
    )
    const timer = setTimeout(() => clientRequest.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    clientRequest.on('close', () => clearTimeout(timer))
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

/** Rejects if the message is too long or incomplete. */
export async function readText(message: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      message.destroy()
      throw new Error(`the message is longer than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
