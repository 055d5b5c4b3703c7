import { chmodSync } from 'node:fs'
import { HostingError, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { isDiskFull } from '#server/problems/is-disk-full.ts'
import { logSupervisorError } from '#server/drivers/hosting/local/log-supervisor-error.ts'
import type { InstanceRegistry } from '#server/drivers/hosting/local/instances/instances.ts'
import {
  type SupervisorCall,
  type SupervisorCallResponse,
  supervisorCallNames,
  type SupervisorGreeting,
  protocolVersion,
  type SupervisorSettings,
} from '#server/drivers/hosting/local/supervisor/protocol.ts'
import {
  createServer,
  type IncomingMessage,
  readText,
  type ServerResponse,
} from '#server/drivers/hosting/gateway/socket-http.ts'

const maxBody = 4_000_000

export interface ControlServer {
  notify(ref: InstanceRef): void
  /** Returns the milliseconds since the last request ended. 0 while a request is executed or a client watches for changes. */
  getQuietMs(): number
  close(): Promise<void>
}

export async function startControlServer({
  socket,
  settings,
  instances,
  end,
}: {
  socket: string
  settings: SupervisorSettings
  instances: InstanceRegistry
  end: (mode: 'leave' | 'stop') => Promise<void>
}): Promise<ControlServer> {
  const watchers = new Set<ServerResponse>()
  let lastActivityAt = Date.now()
  let activeCount = 0

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url } = request
    if (method === 'GET' && url === '/greeting')
      return send(response, {
        version: protocolVersion,
        pid: process.pid,
        settings,
        isolationProblem: instances.isolationProblem,
      } satisfies SupervisorGreeting)
    if (method === 'GET' && url === '/changes') return addWatcher(response)
    if (method === 'POST' && url === '/call')
      return send(
        response,
        await executeCall(instances, JSON.parse(await readText(request, maxBody)) as SupervisorCall),
      )
    if (method === 'POST' && (url === '/leave' || url === '/stop')) {
      response.on('close', () => setImmediate(() => void end(url === '/stop' ? 'stop' : 'leave')))
      return send(response, {})
    }
    response.writeHead(404).end()
  }

  function addWatcher(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    watchers.add(response)
    response.on('close', () => {
      watchers.delete(response)
      lastActivityAt = Date.now()
    })
  }

  const server = createServer((request, response) => {
    activeCount += 1
    response.on('close', () => {
      activeCount -= 1
      lastActivityAt = Date.now()
    })
    handleRequest(request, response).catch((error: unknown) => {
      logSupervisorError(
        { event: 'supervisor_request_failed', err: error, url: request.url },
        'could not answer a request of the portal',
      )
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  // There is no timeout, because installing many apps can take long.
  server.requestTimeout = 0
  server.timeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  chmodSync(socket, 0o600)

  const pendingChanges = new Map<string, InstanceRef>()
  return {
    /** Notifies clients of a change. Changes within a short time are sent together. */
    notify(ref) {
      if (pendingChanges.size === 0) setTimeout(flush, 20)
      pendingChanges.set(`${ref.code}-${ref.serviceId}`, ref)
    },
    getQuietMs: () => (activeCount > 0 ? 0 : Date.now() - lastActivityAt),
    close() {
      for (const watcher of watchers) watcher.end()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }

  function flush(): void {
    const lines = [...pendingChanges.values()].map((ref) => `${JSON.stringify(ref)}\n`).join('')
    pendingChanges.clear()
    for (const watcher of watchers) watcher.write(lines)
  }
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function executeCall(instances: InstanceRegistry, call: SupervisorCall): Promise<SupervisorCallResponse> {
  try {
    return { result: (await dispatch(instances, call)) ?? null }
  } catch (error) {
    if (error instanceof HostingError)
      return { fault: error.fault, message: error.message, details: { ...error.details } }
    if (isDiskFull(error)) return { fault: 'no_room', message: 'the disk is full' }
    logSupervisorError({ event: 'supervisor_call_failed', err: error, call: call.name }, 'a call of the portal failed')
    return { fault: 'internal', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Executes a call. Clients have the same build and system user, so only values that become part of paths are checked again. */
function dispatch(instances: InstanceRegistry, { name, arguments: args }: SupervisorCall): unknown {
  if (!supervisorCallNames.includes(name)) throw new Error(`the call ${name} does not exist`)
  if (name === 'lookAll') return instances.listStates()
  const [ref, ...rest] = args as [InstanceRef, ...unknown[]]
  const instance = instances.get(ref)
  if (name === 'look') return instance.getState()
  return (instance[name] as (...all: unknown[]) => unknown).apply(instance, rest)
}
