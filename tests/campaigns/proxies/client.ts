/** A client of the portal behind a proxy. It repeats nothing by itself. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as sendRequest } from 'node:https'
import { clientCredential } from '#contract/accounts.ts'
import { password as worldPassword } from '#tests/support/server/world.ts'

export interface ProxyResponse {
  status: number
  headers: IncomingMessage['headers']
  /** Names and values in the order of the response, as they were sent. */
  rawHeaders: readonly string[]
  body: Buffer
  /** False if the connection ended before the body was complete. */
  isComplete: boolean
}

export interface RequestInput {
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

export type Send = (path: string, input?: RequestInput) => Promise<ProxyResponse>

/** `agent` keeps connections open, like a browser. */
export function createClient(port: number, certificate: string): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, ca: certificate, servername: 'localhost' })
  return {
    close: () => agent.destroy(),
    async send(path, { method = 'GET', headers = {}, body } = {}) {
      const request = sendRequest({
        agent,
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: {
          host: `localhost:${port}`,
          ...headers,
          ...(body ? { 'content-length': Buffer.byteLength(body) } : {}),
        },
      })
      // A refused request may be answered before its body is sent. An error before the response rejects below.
      request.on('error', () => undefined)
      if (headers['expect'] !== undefined) {
        request.flushHeaders()
        await once(request, 'continue')
      }
      request.end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      response.on('error', () => undefined)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      if (!response.closed) await once(response, 'close').catch(() => undefined)
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        rawHeaders: response.rawHeaders,
        body: Buffer.concat(chunks),
        isComplete: response.complete,
      }
    },
  }
}

export async function signIn(
  send: Send,
  username: string,
  headers: Record<string, string> = {},
  password: string = worldPassword,
): Promise<string> {
  const response = await send('/api/m18s/token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(clientCredential)}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-token-store': 'body',
      ...headers,
    },
    body: new URLSearchParams({ grant_type: 'password', username, password }).toString(),
  })
  const { access_token } = JSON.parse(response.body.toString()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`the sign-in returned ${response.status} ${response.body.toString()}`)
  return access_token
}
