/** One request, passed on to a task over its socket, and its response back. */
import { confineCookie } from '#server/drivers/hosting/local/confine-cookie.ts'
import {
  type IncomingMessage,
  request as ask,
  type ServerResponse,
  staysOpen,
} from '#server/drivers/hosting/local/socket-http.ts'

export const forwardLimits = {
  /** Of what is sent to a service. */
  bodyBytes: 10_000_000,
  /** Without a byte from the task. */
  silentMs: 30_000,
}

/** Of one connection alone (RFC 9110, 7.6.1). */
const hopByHop = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
/**
 * Ours to say, or said by proxies to programs that believe it: what came in of these names is left out, and every name with an
 * underscore, which many programs read as a dash.
 */
const ofGateway =
  /_|^(x-forwarded|forwarded|via$|x-real-ip$|x-client-ip$|client-ip$|true-client-ip$|cf-connecting-ip$|fastly-client-ip$|x-cluster-client-ip$|x-original-|x-rewrite-|x-host$|x-url-scheme$|front-end-https$)/
/** Would end sessions of the portal and of other services, where they are below the same domain. */
const ofOtherHosts = /^clear-site-data$/

/** Of the client, as the gateway knows it. */
export interface ForwardedClient {
  address: string
  /** People reach services over TLS. */
  isSecure: boolean
}

/** To the first of those sockets that takes it; `fail` says why none does. Something that changes is passed on once. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  sockets: readonly string[],
  client: ForwardedClient,
  fail: (why: 'silent' | 'too-large') => void,
): void {
  const [socketPath, ...others] = sockets
  if (socketPath === undefined) return fail('silent')
  if (Number(request.headers['content-length'] ?? 0) > forwardLimits.bodyBytes) return fail('too-large')
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const { method = 'GET', url: path = '/' } = request

  let asked
  try {
    asked = ask({
      socketPath,
      method,
      path,
      headers: passedOn(request, client),
      agent: false,
      timeout: forwardLimits.silentMs,
    })
  } catch {
    // An address that no client of ours could have sent.
    response.writeHead(400, { connection: 'close', 'content-length': '0' }).end()
    return
  }
  const outgoing = asked
  outgoing.on('timeout', () => outgoing.destroy(new Error('silent')))
  // What comes after the task's answer, or after ours in its place, changes nothing any more.
  let isDecided = false
  outgoing.on('error', () => {
    if (isDecided) return
    isDecided = true
    if (response.headersSent || response.destroyed) return void response.destroy()
    // It ended between two health checks.
    if (!hasBody && (method === 'GET' || method === 'HEAD') && others.length > 0)
      return forward(request, response, others, client, fail)
    fail('silent')
  })
  // A task that wants another protocol: there is no answer then, and no error.
  outgoing.on('close', () => {
    if (isDecided) return
    isDecided = true
    fail('silent')
  })
  outgoing.on('response', (incoming) => {
    if (isDecided) return
    isDecided = true
    try {
      response.writeHead(incoming.statusCode ?? 502, passedBack(incoming, client))
    } catch {
      // A status or a header that nobody may send.
      incoming.on('error', () => undefined)
      outgoing.destroy()
      return fail('silent')
    }
    incoming.on('error', () => response.destroy())
    incoming.pipe(response)
  })
  response.on('error', () => outgoing.destroy())
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy()
  })
  if (!hasBody) return void outgoing.end()
  let bytes = 0
  request.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes <= forwardLimits.bodyBytes) return
    // The end of what is passed on is no answer any more.
    isDecided = true
    outgoing.destroy()
    if (response.headersSent) response.destroy()
    else fail('too-large')
  })
  // Cut off: the task must not take half for whole.
  request.on('aborted', () => outgoing.destroy())
  request.pipe(outgoing)
}

function passedOn(request: IncomingMessage, { address, isSecure }: ForwardedClient): Record<string, string | string[]> {
  return {
    ...endToEnd(request, ofGateway),
    ...staysOpen,
    'x-forwarded-for': address,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  }
}

function passedBack(incoming: IncomingMessage, { isSecure }: ForwardedClient): Record<string, string | string[]> {
  const headers = endToEnd(incoming, ofOtherHosts)
  const cookies = [headers['set-cookie'] ?? []].flat()
  if (cookies.length > 0) headers['set-cookie'] = cookies.map((cookie) => confineCookie(cookie, isSecure))
  return headers
}

/** Without what belongs to one connection, and what `connection` names as such. */
function endToEnd({ headers }: IncomingMessage, but: RegExp | null = null): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || hopByHop.has(name) || named.has(name) || but?.test(name) ? [] : [[name, value]],
  )
  return Object.fromEntries(kept)
}
