/**
 * Sends calls to the Docker Engine API. The connection (socket, TCP, TLS) is that of dockerode. Bodies are read here, because dockerode
 * neither limits their size nor notices an answer that is cut off.
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type Docker from 'dockerode'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { createLimiter } from '#server/drivers/hosting/docker/engine/limiter.ts'

const maxParallelCalls = 8
/** A call that is refused at once is better than one that waits for minutes, and the memory is bounded. */
const maxWaitingCalls = 400
/** Calls that may take minutes must not keep the others waiting. */
const maxLongCalls = 2
const longCallMs = 60_000
const maxResponseBytes = 64 * 1024 * 1024
/** Longest pause in ms that a call waits for when the engine refuses calls because there are too many. */
const maxPauseMs = 5000

/** `serveraddress` is the host of the registry. */
export interface RegistryLogin {
  username: string
  password: string
  serveraddress?: string
}

export interface EngineCall {
  method: 'GET' | 'POST' | 'DELETE'
  /** Path without the query. */
  path: string
  query?: Record<string, string>
  body?: unknown
  registry?: RegistryLogin | null
  /** 10 s if missing. */
  timeoutMs?: number
}

/** The engine refused a call. `unreachable` for callers that do not expect it, so that they try again later. */
export class EngineRefusal extends HostingError {
  /** Status of the HTTP answer. */
  readonly status: number
  constructor(status: number, message: string) {
    super('unreachable', message)
    this.name = 'EngineRefusal'
    this.status = status
  }
}

export const isMissing = (error: unknown): boolean => error instanceof EngineRefusal && error.status === 404
/** Another call has created an object with the same name, or the object is in use. */
export const isConflict = (error: unknown): boolean => error instanceof EngineRefusal && error.status === 409
/** Another call has changed the object since it was read. */
export const isOutOfSequence = (error: unknown): boolean =>
  error instanceof EngineRefusal && error.message.includes('update out of sequence')

export interface EngineClient {
  /** Returns the parsed answer, null if it is empty. Throws EngineRefusal, or HostingError `unreachable` or `throttled`. */
  call<T>(call: EngineCall): Promise<T>
  /** Returns the answer as text. */
  readText(call: EngineCall): Promise<string>
  /** Returns the open answer. The time limit applies only until it begins. */
  openStream(call: EngineCall, signal: AbortSignal): Promise<IncomingMessage>
}

/** dockerode reports these statuses as successes, so that all of them are handled here. */
const allStatusCodes = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [index + 100, true]))

export function createEngineClient(docker: Docker, clock: () => number): EngineClient {
  const refuse = (): never => {
    throw new HostingError('throttled', 'the Docker engine responds too slowly for all calls')
  }
  const limiter = createLimiter(maxParallelCalls, maxWaitingCalls, refuse)
  const longLimiter = createLimiter(maxLongCalls, maxWaitingCalls, refuse)
  let pausedUntil = 0

  async function dial(call: EngineCall, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await sendRequest(call, signal)
    } catch (error) {
      // An idle connection that the engine has just closed. Only reading is safe to repeat.
      if (call.method !== 'GET' || !isReset(error) || signal.aborted) throw toUnreachable(error)
    }
    try {
      return await sendRequest(call, signal)
    } catch (error) {
      throw toUnreachable(error)
    }
  }

  function sendRequest(
    { method, path, query = {}, body, registry }: EngineCall,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = {
        path: `${path}?`,
        method,
        isStream: true,
        statusCodes: allStatusCodes,
        abortSignal: signal,
        options: { _query: query, _body: body ?? {} },
        ...(registry ? { authconfig: registry } : {}),
      }
      docker.modem.dial(options, (error: unknown, response: unknown) => {
        if (error) reject(error as Error)
        else resolve(response as IncomingMessage)
      })
    })
  }

  /** Waits while the engine asks for a pause. */
  async function waitForTurn(): Promise<void> {
    const pauseMs = pausedUntil - clock()
    if (pauseMs <= 0) return
    if (pauseMs > maxPauseMs) throw new HostingError('throttled', 'the Docker engine refuses calls for now')
    await wait(pauseMs)
  }

  async function callOnce(call: EngineCall): Promise<string> {
    await waitForTurn()
    const timeLimit = AbortSignal.timeout(call.timeoutMs ?? 10_000)
    const response = await dial(call, timeLimit)
    const text = await readBody(response, timeLimit)
    const status = response.statusCode ?? 0
    if (status === 429) {
      pausedUntil = clock() + parseRetryAfter(response.headers['retry-after'])
      throw new HostingError('throttled', 'the Docker engine refuses calls because there are too many')
    }
    if (status >= 400 || status < 200) throw toRefusal(status, text)
    return text
  }

  const readText = (call: EngineCall): Promise<string> =>
    (isLong(call) ? longLimiter : limiter).run(async () => {
      try {
        return await callOnce(call)
      } catch (error) {
        if (!(error instanceof HostingError && error.fault === 'throttled')) throw error
        return callOnce(call)
      }
    })

  return {
    readText,
    async call<T>(call: EngineCall) {
      const text = await readText(call)
      return (text.trim() === '' ? null : parseAnswer(text)) as T
    },
    async openStream(call, signal) {
      await waitForTurn()
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(), call.timeoutMs ?? 10_000)
      try {
        const response = await dial(call, AbortSignal.any([signal, controller.signal]))
        const status = response.statusCode ?? 0
        if (status === 200) return response
        throw toRefusal(status, await readBody(response, controller.signal))
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const isLong = ({ timeoutMs = 0 }: EngineCall) => timeoutMs > longCallMs

function readBody(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let byteCount = 0
    const fail = (message: string) => {
      reject(new HostingError('unreachable', message))
      response.destroy()
    }
    const onAbort = () => fail('the Docker engine did not complete its answer in time')
    signal.addEventListener('abort', onAbort, { once: true })
    response.on('data', (chunk: Buffer) => {
      byteCount += chunk.length
      if (byteCount > maxResponseBytes) fail('the answer of the Docker engine is too long')
      else chunks.push(chunk)
    })
    response.on('error', (error) => reject(toUnreachable(error)))
    response.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      if (response.complete) resolve(Buffer.concat(chunks).toString())
      else reject(new HostingError('unreachable', 'the answer of the Docker engine was cut off'))
    })
  })
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HostingError('unreachable', 'the Docker engine sent a malformed answer', { cause })
  }
}

function toRefusal(status: number, text: string): HostingError {
  const message = readMessage(text)
  if (message.includes('not a swarm manager'))
    return new HostingError('unreachable', 'this machine is not a manager of a Docker Swarm (see "docker swarm init")')
  return new EngineRefusal(status, `the Docker engine refused a call (${status}): ${message}`)
}

/** Returns the engine's own sentence, at most 500 characters of it. */
function readMessage(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message.slice(0, 500)
  } catch {
    // A proxy in front of the engine may send a page.
  }
  return text.slice(0, 500)
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

const toUnreachable = (cause: unknown): HostingError =>
  new HostingError('unreachable', 'the Docker engine does not respond', { cause })

/** Returns ms, from 0.1 to 60 seconds. */
function parseRetryAfter(value: string | undefined): number {
  const seconds = Number(value)
  return Math.min(60_000, Math.max(100, Number.isFinite(seconds) ? seconds * 1000 : 1000))
}
