/** Calls the API at a chosen node, with one session. */
import { clientCredential } from '#contract/accounts.ts'

export interface TokenPair {
  access_token: string
  refresh_token: string
}

export interface NodeClient {
  tokens: TokenPair
  /** Sends a request to the server at `url`. A body that is not text or bytes is sent as JSON. */
  send(url: string, path: string, options?: SendOptions): Promise<Response>
}

export interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

const basic = `Basic ${btoa(clientCredential)}`

export const requestTokens = (url: string, form: Record<string, string>): Promise<Response> =>
  fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: { authorization: basic, 'x-token-store': 'body' },
    body: new URLSearchParams(form),
  })

export async function signInAt(url: string, username: string, password: string): Promise<NodeClient> {
  const response = await requestTokens(url, { grant_type: 'password', username, password })
  if (response.status !== 200) throw new Error(`the sign-in at ${url} returned ${response.status}`)
  const tokens = (await response.json()) as TokenPair
  return {
    tokens,
    send: (address, path, { method = 'GET', headers = {}, body } = {}) =>
      fetch(address + path, {
        method,
        headers: {
          authorization: `Bearer ${tokens.access_token}`,
          ...(body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
      }),
  }
}
