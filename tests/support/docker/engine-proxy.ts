/** A socket in front of that of a Docker daemon, which refuses calls or leaves them without a response, like an overloaded API. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'

export type EngineProxyMode =
  /** Passes all calls on. */
  | 'pass'
  /** Refuses most calls with 429: ten seconds of each twelve. */
  | 'throttle'
  /** Accepts calls and never responds. */
  | 'hang'
  /** Responds with the head and half of the body, and then with nothing. */
  | 'stall'

export interface EngineProxy {
  /** Path of its socket. */
  socket: string
  setMode(mode: EngineProxyMode): void
  /** Number of calls since the last change of the mode. */
  countCalls(): number
  close(): Promise<void>
}

const throttleMs = { period: 12_000, refused: 10_000 }
const retryAfterSeconds = 1

/** `target` is the daemon's socket. Requests are buffered, because those of the API are small. */
export async function openEngineProxy(socket: string, target: string): Promise<EngineProxy> {
  let mode: EngineProxyMode = 'pass'
  let changedAt = Date.now()
  let callCount = 0

  const isRefused = () => mode === 'throttle' && (Date.now() - changedAt) % throttleMs.period < throttleMs.refused

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request
    const forwarded = sendRequest({ socketPath: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (mode === 'stall') {
        answer.once('data', (chunk: Buffer) => response.write(chunk.subarray(0, chunk.length / 2)))
        answer.on('data', () => undefined)
      } else answer.pipe(response)
      // An open stream of events ends when either side ends it.
      answer.on('error', () => response.destroy())
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  }

  const server = createServer((request, response) => {
    callCount += 1
    if (mode === 'hang') return
    if (!isRefused()) return forward(request, response)
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': String(retryAfterSeconds) })
      .end('{"message":"too many requests"}')
  })
  rmSync(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    setMode(nextMode) {
      mode = nextMode
      changedAt = Date.now()
      callCount = 0
      // Open streams of events end, as they would with the API.
      if (nextMode === 'hang') return
      server.closeAllConnections()
    },
    countCalls: () => callCount,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
