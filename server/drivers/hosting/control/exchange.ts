/** One HTTP request to an instance and its response. Bodies are streams with back-pressure, and every wait has a limit. */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface ExchangeRequest {
  method: string
  /** Begins with a slash. */
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | AsyncIterable<Uint8Array>
  /** Time in ms until the response begins, after the body was sent. */
  responseMs?: number
  /** Ends the exchange, also while the body of the response is read. */
  signal?: AbortSignal
}

/** Times in ms. */
export interface ExchangeTimes {
  connectMs: number
  /** Until the response begins, after the body was sent. */
  responseMs: number
  /** While the instance neither receives nor sends a byte of a body. The time that this program needs in between does not count. */
  silenceMs: number
}

export const defaultExchangeTimes: ExchangeTimes = { connectMs: 5_000, responseMs: 30_000, silenceMs: 30_000 }

/** Time in ms after which the operating system checks an idle connection, so that a lost machine is noticed during a long wait. */
const keepAliveDelayMs = 10_000

/**
 * Sends a request. The response may begin before the body was sent completely; then the rest is not sent. The caller reads the body of the
 * response or destroys it. Redirects are not followed. Rejects with an Error that says what failed. Rethrows the errors of `body`.
 */
export async function openExchange(
  baseUrl: string,
  { method, path, headers = {}, body = new Uint8Array(), responseMs, signal }: ExchangeRequest,
  times: ExchangeTimes,
): Promise<IncomingMessage> {
  const url = new URL(path, baseUrl)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const lengthHeaders = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {}
  const clientRequest = send(url, {
    method,
    agent: false,
    headers: { ...lengthHeaders, ...headers },
    ...(signal && { signal }),
  })
  limitConnect(clientRequest, times.connectMs)
  const responsePromise = waitForResponse(clientRequest)
  try {
    await writeBody(clientRequest, { body, responsePromise, silenceMs: times.silenceMs })
    return await limitTime(clientRequest, responsePromise, responseMs ?? times.responseMs)
  } catch (error) {
    clientRequest.destroy()
    throw error
  }
}

function waitForResponse(clientRequest: ClientRequest): Promise<IncomingMessage> {
  const responsePromise = new Promise<IncomingMessage>((resolve, reject) => {
    clientRequest.on('response', resolve)
    // Also prevents that a later error of the connection ends the process.
    clientRequest.on('error', reject)
    clientRequest.on('close', () => reject(new Error('the connection was closed without a response')))
  })
  responsePromise.catch(() => undefined)
  return responsePromise
}

function limitConnect(clientRequest: ClientRequest, connectMs: number): void {
  const timer = setTimeout(
    () => clientRequest.destroy(new Error(`no connection within ${connectMs / 1000} s`)),
    connectMs,
  )
  clientRequest.on('close', () => clearTimeout(timer))
  clientRequest.on('socket', (socket) => {
    socket.setKeepAlive(true, keepAliveDelayMs)
    socket.once('connect', () => clearTimeout(timer))
  })
}

/** Waits for a promise. After the time has passed, it destroys the request, so that the promise rejects. */
async function limitTime<T>(clientRequest: ClientRequest, promise: Promise<T>, limitMs: number): Promise<T> {
  const timer = setTimeout(() => clientRequest.destroy(new Error(`no response within ${limitMs / 1000} s`)), limitMs)
  return await promise.finally(() => clearTimeout(timer))
}

interface BodyOptions {
  body: Uint8Array | AsyncIterable<Uint8Array>
  responsePromise: Promise<unknown>
  silenceMs: number
}

/** Returns when the body was sent, or when the rest of it is not needed: the response has begun or the connection has failed. */
async function writeBody(
  clientRequest: ClientRequest,
  { body, responsePromise, silenceMs }: BodyOptions,
): Promise<void> {
  if (body instanceof Uint8Array) return void clientRequest.end(body)
  let isSettled = false
  const onSettled = () => void (isSettled = true)
  const settledPromise = responsePromise.then(onSettled, onSettled)
  for await (const chunk of body) {
    if (isSettled) return
    if (clientRequest.write(chunk)) continue
    const drainPromise = new Promise<void>((resolve) => clientRequest.once('drain', resolve))
    await limitTime(clientRequest, Promise.race([drainPromise, settledPromise]), silenceMs)
  }
  if (!isSettled) clientRequest.end()
}

/** Yields the body. Throws if nothing arrives for the time, or if the connection is cut. Closes the connection at the end. */
export async function* readChunks(response: IncomingMessage, silenceMs: number): AsyncGenerator<Buffer> {
  const iterator = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    for (;;) {
      const timer = setTimeout(() => response.destroy(new Error(`no data within ${silenceMs / 1000} s`)), silenceMs)
      const result = await iterator.next().finally(() => clearTimeout(timer))
      if (result.done) return
      yield result.value
    }
  } finally {
    response.destroy()
  }
}

/** Reads a short body. Rejects if it has more than `maxBytes`, or does not end in time. */
export async function readShortBody(
  response: IncomingMessage,
  { maxBytes, limitMs }: { maxBytes: number; limitMs: number },
): Promise<string> {
  const timer = setTimeout(
    () => response.destroy(new Error(`the response did not end within ${limitMs / 1000} s`)),
    limitMs,
  )
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of readChunks(response, limitMs)) {
      length += chunk.length
      if (length > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the message of an error. If a name has several addresses, Node throws an AggregateError without a message of its own. */
export function getErrorReason(error: unknown): string {
  const firstError = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return firstError instanceof Error ? firstError.message : String(firstError)
}
