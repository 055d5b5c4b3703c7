/** HTTP over sockets of this machine: between portal, supervisor and tasks. No request made here leaves the machine. */
import { type IncomingMessage, request } from 'node:http'

export { createServer, request, ServerResponse } from 'node:http'
export type { IncomingMessage, Server } from 'node:http'

/**
 * Each connection is used once, and closed by who asks. Closed by the other end as soon as it has answered, what is still written
 * to it would fail, and the answer be lost.
 */
export const keepAliveHeaders = { connection: 'keep-alive' } as const

export interface SocketRequest {
  method: 'GET' | 'POST'
  path: string
  body?: string
  timeoutMs: number
  /** Of the response. */
  maxBytes?: number
}

/** Rejects where nobody answers in time, or with too much. */
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
    const timer = setTimeout(() => clientRequest.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    clientRequest.on('close', () => clearTimeout(timer))
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

/** Rejects for what is longer, or is cut off. */
export async function readText(message: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      message.destroy()
      throw new Error(`more than ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
