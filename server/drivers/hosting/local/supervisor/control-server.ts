/** The supervisor's end of the socket: calls of the port, who it is, its end, and a stream of what changes. */
import { chmodSync } from 'node:fs'
import { HostingError, type InstanceRef } from '#server/drivers/hosting/driver.ts'
import type { Instances } from '#server/drivers/hosting/local/instances/instances.ts'
import {
  type Call,
  type CallAnswer,
  callNames,
  type Greeting,
  protocolVersion,
  type SupervisorSettings,
} from '#server/drivers/hosting/local/supervisor/protocol.ts'
import {
  createServer,
  type IncomingMessage,
  readText,
  type ServerResponse,
} from '#server/drivers/hosting/local/socket-http.ts'

const maxBody = 4_000_000

export interface Control {
  /** To all that watch. */
  tell(ref: InstanceRef): void
  /** How long nobody has asked or watched. */
  quietMs(): number
  close(): Promise<void>
}

export async function startControl({
  socket,
  settings,
  instances,
  end,
}: {
  socket: string
  settings: SupervisorSettings
  instances: Instances
  end: (what: 'leave' | 'stop') => Promise<void>
}): Promise<Control> {
  const watchers = new Set<ServerResponse>()
  let last = Date.now()
  let working = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url } = request
    if (method === 'GET' && url === '/greeting')
      return send(response, {
        version: protocolVersion,
        pid: process.pid,
        settings,
        isolationProblem: instances.isolationProblem,
      } satisfies Greeting)
    if (method === 'GET' && url === '/changes') return watch(response)
    if (method === 'POST' && url === '/call')
      return send(response, await carryOut(instances, JSON.parse(await readText(request, maxBody)) as Call))
    if (method === 'POST' && (url === '/leave' || url === '/stop')) {
      response.on('close', () => setImmediate(() => void end(url === '/stop' ? 'stop' : 'leave')))
      return send(response, {})
    }
    response.writeHead(404).end()
  }

  function watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    watchers.add(response)
    response.on('close', () => {
      watchers.delete(response)
      last = Date.now()
    })
  }

  const server = createServer((request, response) => {
    working += 1
    response.on('close', () => {
      working -= 1
      last = Date.now()
    })
    answer(request, response).catch((error: unknown) => {
      console.error(new Date().toISOString(), request.url, error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  // Setting up many apps takes a while.
  server.requestTimeout = 0
  server.timeout = 0
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(socket, listening)
  })
  chmodSync(socket, 0o600)

  const pending = new Map<string, InstanceRef>()
  return {
    /** Many changes of a moment are told once. */
    tell(ref) {
      if (pending.size === 0) setTimeout(flush, 20)
      pending.set(`${ref.code}-${ref.serviceId}`, ref)
    },
    quietMs: () => (working > 0 ? 0 : Date.now() - last),
    close() {
      for (const watcher of watchers) watcher.end()
      return new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
    },
  }

  function flush(): void {
    const lines = [...pending.values()].map((ref) => `${JSON.stringify(ref)}\n`).join('')
    pending.clear()
    for (const watcher of watchers) watcher.write(lines)
  }
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function carryOut(instances: Instances, call: Call): Promise<CallAnswer> {
  try {
    return { result: (await dispatch(instances, call)) ?? null }
  } catch (error) {
    if (error instanceof HostingError)
      return { fault: error.fault, message: error.message, details: { ...error.details } }
    if (isFull(error)) return { fault: 'no_room', message: 'the disk is full' }
    console.error(new Date().toISOString(), call.name, error)
    return { fault: 'internal', message: error instanceof Error ? error.message : String(error) }
  }
}

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Who speaks here is of the same build, and the same user of the machine: only what becomes a path is looked at again. */
function dispatch(instances: Instances, { name, arguments: given }: Call): unknown {
  if (!callNames.includes(name)) throw new Error(`there is no call ${name}`)
  if (name === 'lookAll') return instances.states()
  const [ref, ...rest] = given as [InstanceRef, ...unknown[]]
  const instance = instances.of(ref)
  if (name === 'look') return instance.state()
  // The port's type says what each of them takes.
  return (instance[name] as (...all: unknown[]) => unknown)(...rest)
}
