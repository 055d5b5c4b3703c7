/** Reads states and logs of the services that another node runs. Operations on services are jobs, which that node carries out itself. */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Logger } from 'pino'
import {
  HostingError,
  type HostingDriver,
  type InstanceRef,
  type InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import { apiPaths, type LastLine, type LogLineValues } from '#server/drivers/hosting/remote/protocol.ts'
import { isResponseSigned, signatureHeaders, signRequest } from '#server/drivers/hosting/remote/signatures.ts'

export interface HostingNode {
  /** Address of the node's API, without a slash at the end. */
  url: string
  /** Key of the installation (`deriveNodeKey`). */
  key: Buffer
}

export interface RemoteHostingOptions {
  /** Returns the node that runs services, or null if there is none. */
  findNode: () => Promise<HostingNode | null>
  clock: () => number
  log: Pick<Logger, 'warn'>
  times?: Partial<RemoteTimes>
}

/** Maximum times in ms: until the response begins, and between two pieces of it while they are awaited. */
const defaultTimes = { responseMs: 10_000, pieceMs: 30_000 }
export type RemoteTimes = typeof defaultTimes

const maxLineLength = 1_000_000
const warningIntervalMs = 60_000

const failUnsupported = async (): Promise<never> => {
  throw new HostingError('unreachable', 'this node does not run hosted services: HOSTING is elsewhere')
}

export function createRemoteHosting({ findNode, clock, log, times = {} }: RemoteHostingOptions): HostingDriver {
  const { responseMs, pieceMs } = { ...defaultTimes, ...times }
  let warnedAt = Number.NEGATIVE_INFINITY

  function warn(error: HostingError, url: string | null): void {
    if (performance.now() - warnedAt < warningIntervalMs) return
    warnedAt = performance.now()
    log.warn(
      { event: 'hosting_node_unreachable', err: error, url },
      'the node that runs hosted services does not answer',
    )
  }

  /** Yields the lines of a response. Throws HostingError. */
  async function* readLines(path: string, query: Record<string, string>): AsyncGenerator<unknown> {
    const node = await findNode()
    try {
      if (node === null) throw new HostingError('unreachable', 'no node of this portal runs hosted services')
      const pathAndQuery = `${path}?${new URLSearchParams(query).toString()}`
      const response = await openResponse(node, pathAndQuery, { now: clock(), timeoutMs: responseMs })
      yield* parseLines(response, pieceMs)
    } catch (error) {
      const hostingError = toHostingError(error)
      if (hostingError.fault === 'unreachable') warn(hostingError, node?.url ?? null)
      throw hostingError
    }
  }

  return {
    name: 'remote',
    prepare: failUnsupported,
    install: failUnsupported,
    configure: failUnsupported,
    start: failUnsupported,
    switchOver: failUnsupported,
    rollBack: failUnsupported,
    stop: failUnsupported,
    setPassword: failUnsupported,
    remove: failUnsupported,
    erase: failUnsupported,
    replaceData: failUnsupported,
    // eslint-disable-next-line require-yield
    async *readData() {
      await failUnsupported()
    },
    async look(ref) {
      const [state = null] = await collect(readLines(apiPaths.state, toQuery(ref)))
      return state === null ? null : completeState(state as SentState)
    },
    async lookAll() {
      const states = await collect(readLines(apiPaths.states, {}))
      return states.map((state) => completeState(state as SentState))
    },
    async *readLog(ref, { from, to }) {
      for await (const line of readLines(apiPaths.log, { ...toQuery(ref), from: String(from), to: String(to) })) {
        const [time, task, level, text] = line as LogLineValues
        yield { time, task, level, text }
      }
    },
    upkeep: null,
    watch: () => () => undefined,
    close: async () => undefined,
  }
}

/** A node with an earlier build sends states without `deployment`. */
type SentState = Omit<InstanceState, 'deployment'> & Partial<Pick<InstanceState, 'deployment'>>

const completeState = (state: SentState): InstanceState => ({ deployment: null, ...state })

const toQuery = ({ serviceId, code }: InstanceRef) => ({ serviceId: String(serviceId), code })

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const allItems: unknown[] = []
  for await (const item of items) allItems.push(item)
  return allItems
}

const toHostingError = (error: unknown): HostingError =>
  error instanceof HostingError
    ? error
    : new HostingError('unreachable', `the node that runs hosted services does not answer: ${getMessage(error)}`, {
        cause: error,
      })

const getMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Rejects if the response does not begin in time, or if another program sent it. */
function openResponse(
  { url, key }: HostingNode,
  pathAndQuery: string,
  { now, timeoutMs }: { now: number; timeoutMs: number },
): Promise<IncomingMessage> {
  const address = new URL(pathAndQuery, url)
  const { nonce, headers } = signRequest(key, `${address.pathname}${address.search}`, now)
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const clientRequest = request(address, { agent: false, headers }, (response) => {
      clearTimeout(timer)
      const isSigned = isResponseSigned(key, nonce, response.headers[signatureHeaders.signature])
      if (response.statusCode === 200 && isSigned) return resolve(response)
      response.destroy()
      reject(new Error(`unexpected response with status ${response.statusCode ?? 0}`))
    })
    const timer = setTimeout(() => clientRequest.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    clientRequest.on('close', () => clearTimeout(timer))
    clientRequest.on('error', reject)
    clientRequest.end()
  })
}

/** Throws if the last line is missing or names a fault. The connection is closed when the reader stops. */
async function* parseLines(response: IncomingMessage, pieceMs: number): AsyncGenerator<unknown> {
  let rest = ''
  response.setEncoding('utf8')
  try {
    for await (const piece of readPieces(response, pieceMs)) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineLength) throw new Error(`a line is longer than ${maxLineLength} characters`)
      for (const line of lines) {
        const value = JSON.parse(line) as unknown
        if (!isLastLine(value)) yield value
        else if ('end' in value) return
        else throw new HostingError(value.fault, value.message)
      }
    }
    throw new Error('the response ended early')
  } finally {
    response.destroy()
  }
}

/** A state of an instance and the values of a log line have neither of these fields at their top level. */
const isLastLine = (value: unknown): value is LastLine =>
  typeof value === 'object' && value !== null && ('end' in value || 'message' in value)

/** Limits the time for which a piece is awaited. The time between the reads of a slow reader does not count. */
async function* readPieces(response: IncomingMessage, pieceMs: number): AsyncGenerator<string> {
  const iterator = response[Symbol.asyncIterator]() as AsyncIterator<string>
  for (;;) {
    const timer = setTimeout(() => response.destroy(new Error(`no data within ${pieceMs} ms`)), pieceMs)
    const result = await iterator.next().finally(() => clearTimeout(timer))
    if (result.done) return
    yield result.value
  }
}
