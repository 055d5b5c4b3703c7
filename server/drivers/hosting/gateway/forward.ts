import { confineCookie } from '#server/drivers/hosting/gateway/confine-cookie.ts'
import {
  type ClientRequest,
  type IncomingMessage,
  request as sendRequest,
  type ServerResponse,
  keepAliveHeaders,
} from '#server/drivers/hosting/gateway/socket-http.ts'
import type { TaskEndpoint } from '#server/drivers/hosting/gateway/task-endpoint.ts'

export const forwardLimits = {
  bodyBytes: 10_000_000,
  /** Timeout in ms if the task sends nothing. */
  silentMs: 30_000,
}

/** Headers of a single connection, which are not forwarded (RFC 9110, 7.6.1). */
const hopByHopHeaders = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)
/** Headers that programs accept from a proxy. Incoming ones are dropped, also names with `_`, which programs often read as `-`. */
const gatewayHeaders =
  /_|^(x-forwarded|forwarded|via$|x-real-ip$|x-client-ip$|client-ip$|true-client-ip$|cf-connecting-ip$|fastly-client-ip$|x-cluster-client-ip$|x-original-|x-rewrite-|x-host$|x-url-scheme$|front-end-https$)/
/** Response headers that are dropped: they would end sessions of the portal and of other services below the same domain. */
const crossHostHeaders = /^clear-site-data$/

export interface ForwardedClient {
  address: string
  /** True if clients use TLS. */
  isSecure: boolean
}

export interface ForwardOptions {
  /** Endpoints of the tasks, in the order in which they are tried. */
  endpoints: readonly TaskEndpoint[]
  client: ForwardedClient
  /** Timeout in ms for the connection to a task. */
  connectMs: number
  /** Called for an endpoint to which no connection could be established. */
  onUnreachable: (endpoint: TaskEndpoint) => void
  /** Called if no task responds, or if the body is too large. */
  fail: (reason: 'silent' | 'too-large') => void
}

/**
 * Sends the request to a task. If no connection can be established, the next task is tried, because nothing of the request has been sent.
 * After that a task may have processed the request, so another one is tried only for GET and HEAD without a body.
 */
export function forward(request: IncomingMessage, response: ServerResponse, options: ForwardOptions): void {
  const { client, fail } = options
  const [endpoint, ...otherEndpoints] = options.endpoints
  if (endpoint === undefined) return fail('silent')
  if (Number(request.headers['content-length'] ?? 0) > forwardLimits.bodyBytes) return fail('too-large')
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  const { method = 'GET', url: path = '/' } = request

  let createdRequest
  try {
    createdRequest = sendRequest({
      ...endpoint,
      method,
      path,
      headers: buildRequestHeaders(request, client),
      agent: false,
      timeout: forwardLimits.silentMs,
    })
  } catch {
    // The request URL is invalid. No real client sends such a URL.
    response.writeHead(400, { connection: 'close', 'content-length': '0' }).end()
    return
  }
  const outgoingRequest = createdRequest
  outgoingRequest.on('timeout', () => outgoingRequest.destroy(new Error('silent')))
  let isConnected = false
  onConnection(outgoingRequest, options.connectMs, () => {
    isConnected = true
    if (hasBody) sendBody()
    else outgoingRequest.end()
  })
  // Once a response or an error was handled, later events are ignored.
  let isSettled = false
  outgoingRequest.on('error', () => {
    if (isSettled) return
    isSettled = true
    if (response.headersSent || response.destroyed) return void response.destroy()
    if (!isConnected) options.onUnreachable(endpoint)
    // The task may have ended since its last health check, so the next task is tried.
    const canRepeat = !isConnected || (!hasBody && (method === 'GET' || method === 'HEAD'))
    if (canRepeat && otherEndpoints.length > 0)
      return forward(request, response, { ...options, endpoints: otherEndpoints })
    fail('silent')
  })
  // If the task tries to switch protocols, there is only a `close` event: neither a response nor an error.
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
      // The task sent an invalid status or header.
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

  /** Nothing of the body is read before there is a connection, so that another task can get all of it. */
  function sendBody(): void {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= forwardLimits.bodyBytes) return
      // The gateway sends the response now. Later events of the task must not send another one.
      isSettled = true
      outgoingRequest.destroy()
      if (response.headersSent) response.destroy()
      else fail('too-large')
    })
    // If the client disconnects, the task must not process an incomplete body as a complete one.
    request.on('aborted', () => outgoingRequest.destroy())
    request.pipe(outgoingRequest)
  }
}

/** Calls `onConnected` when there is a connection. Destroys the request if there is none in time. */
function onConnection(outgoingRequest: ClientRequest, connectMs: number, onConnected: () => void): void {
  outgoingRequest.on('socket', (socket) => {
    if (!socket.connecting) return onConnected()
    const timer = setTimeout(() => outgoingRequest.destroy(new Error('no connection')), connectMs)
    socket.on('close', () => clearTimeout(timer))
    socket.on('connect', () => {
      clearTimeout(timer)
      onConnected()
    })
  })
}

function buildRequestHeaders(
  request: IncomingMessage,
  { address, isSecure }: ForwardedClient,
): Record<string, string | string[]> {
  return {
    ...getEndToEndHeaders(request, gatewayHeaders),
    ...getFramingHeaders(request),
    ...keepAliveHeaders,
    host: request.headers.host ?? '',
    'x-forwarded-for': address,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  }
}

/**
 * The length of the body is always sent, whatever `connection` names. Without it, Node sends the body of a GET, HEAD, DELETE or OPTIONS
 * request as it is, and the task would take it for a further request that nobody has checked.
 */
function getFramingHeaders({ headers }: IncomingMessage): Record<string, string> {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' }
  const length = headers['content-length']
  return length === undefined ? {} : { 'content-length': length }
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

/** Removes the headers of a single connection, including those that `connection` names. */
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
