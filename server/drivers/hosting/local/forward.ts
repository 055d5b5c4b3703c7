/** One request, passed on to a task over its socket, and its response back. */
import { confineCookie } from '#server/drivers/hosting/local/confine-cookie.ts'
import {
  type IncomingMessage,
  request as sendRequest,
  type ServerResponse,
  keepAliveHeaders,
} from '#server/drivers/hosting/local/socket-http.ts'

export const forwardLimits = {
  /** Of what is sent to a service. */
  bodyBytes: 10_000_000,
  /** Without a byte from the task. */
  silentMs: 30_000,
}

/** Of one connection alone (RFC 9110, 7.6.1). */
const hopByHopHeaders = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
/**
 * Ours to say, or said by proxies to programs that believe it: what came in of these names is left out, and every name with an
 * underscore, which many programs read as a dash.
 */
const gatewayHeaders =
  /_|^(x-forwarded|forwarded|via$|x-real-ip$|x-client-ip$|client-ip$|true-client-ip$|cf-connecting-ip$|fastly-client-ip$|x-cluster-client-ip$|x-original-|x-rewrite-|x-host$|x-url-scheme$|front-end-https$)/
/** Would end sessions of the portal and of other services, where they are below the same domain. */
const crossHostHeaders = /^clear-site-data$/

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
  fail: (reason: 'silent' | 'too-large') => void,
): void {
  const [socketPath, ...otherSockets] = sockets
  if (socketPath === undefined) return fail('silent')
  if (Number(request.headers['content-length'] ?? 0) > forwardLimits.bodyBytes) return fail('too-large')
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const { method = 'GET', url: path = '/' } = request

  let createdRequest
  try {
    createdRequest = sendRequest({
      socketPath,
      method,
      path,
      headers: buildRequestHeaders(request, client),
      agent: false,
      timeout: forwardLimits.silentMs,
    })
  } catch {
    // An address that no client of ours could have sent.
    response.writeHead(400, { connection: 'close', 'content-length': '0' }).end()
    return
  }
  const outgoingRequest = createdRequest
  outgoingRequest.on('timeout', () => outgoingRequest.destroy(new Error('silent')))
  // What comes after the task's answer, or after ours in its place, changes nothing any more.
  let isSettled = false
  outgoingRequest.on('error', () => {
    if (isSettled) return
    isSettled = true
    if (response.headersSent || response.destroyed) return void response.destroy()
    // It ended between two health checks.
    if (!hasBody && (method === 'GET' || method === 'HEAD') && otherSockets.length > 0)
      return forward(request, response, otherSockets, client, fail)
    fail('silent')
  })
  // A task that wants another protocol: there is no answer then, and no error.
  outgoingRequest.on('close', () => {
    if (isSettled) return
    isSettled = true
    fail('silent')
  })
  outgoingRequest.on('response', (taskResponse) => {
    if (isSettled) return
    isSettled = true
    try {
      response.writeHead(taskResponse.statusCode ?? 502, buildResponseHeaders(taskResponse, client))
    } catch {
      // A status or a header that nobody may send.
      taskResponse.on('error', () => undefined)
      outgoingRequest.destroy()
      return fail('silent')
    }
    taskResponse.on('error', () => response.destroy())
    taskResponse.pipe(response)
  })
  response.on('error', () => outgoingRequest.destroy())
  response.on('close', () => {
    if (!response.writableFinished) outgoingRequest.destroy()
  })
  if (!hasBody) return void outgoingRequest.end()
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= forwardLimits.bodyBytes) return
    // The end of what is passed on is no answer any more.
    isSettled = true
    outgoingRequest.destroy()
    if (response.headersSent) response.destroy()
    else fail('too-large')
  })
  // Cut off: the task must not take half for whole.
  request.on('aborted', () => outgoingRequest.destroy())
  request.pipe(outgoingRequest)
}

function buildRequestHeaders(
  request: IncomingMessage,
  { address, isSecure }: ForwardedClient,
): Record<string, string | string[]> {
  return {
    ...getEndToEndHeaders(request, gatewayHeaders),
    ...keepAliveHeaders,
    'x-forwarded-for': address,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  }
}

function buildResponseHeaders(
  taskResponse: IncomingMessage,
  { isSecure }: ForwardedClient,
): Record<string, string | string[]> {
  const headers = getEndToEndHeaders(taskResponse, crossHostHeaders)
  const cookies = [headers['set-cookie'] ?? []].flat()
  if (cookies.length > 0) headers['set-cookie'] = cookies.map((cookie) => confineCookie(cookie, isSecure))
  return headers
}

/** Without what belongs to one connection, and what `connection` names as such. */
function getEndToEndHeaders(
  { headers }: IncomingMessage,
  excludedNames: RegExp | null = null,
): Record<string, string | string[]> {
  const connectionHeaders = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || hopByHopHeaders.has(name) || connectionHeaders.has(name) || excludedNames?.test(name)
      ? []
      : [[name, value]],
  )
  return Object.fromEntries(entries)
}
