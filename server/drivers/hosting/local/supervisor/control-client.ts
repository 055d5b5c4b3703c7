/** Finds the supervisor of a folder, or starts one, and calls it: the portal's side of the control socket. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { readIdentity, isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import {
  type SupervisorCallResponse,
  type SupervisorCallArguments,
  type SupervisorCallName,
  type SupervisorCallResult,
  type SupervisorGreeting,
  protocolVersion,
  type SupervisorSettings,
} from '#server/drivers/hosting/local/supervisor/protocol.ts'
import { openSupervisorLog } from '#server/drivers/hosting/local/supervisor/supervisor-log.ts'
import { getControlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { requestSocket, type SocketRequest } from '#server/drivers/hosting/gateway/socket-http.ts'

/** Maximum time in ms until a new supervisor responds, and pause in ms before another one is started. */
const startTimeoutMs = 20_000
const restartPauseMs = 3000
/** Timeout of a call in ms. It must be long enough to install many large packages. */
const callTimeoutMs = 180_000

export interface ControlClient {
  call<Name extends SupervisorCallName>(
    name: Name,
    args: SupervisorCallArguments<Name>,
  ): Promise<SupervisorCallResult<Name>>
  /** Starts a supervisor if none is running. Throws HostingError `unreachable`. */
  ensure(): Promise<void>
  /** Ends the supervisor and all tasks; resolves when the supervisor has ended. Does nothing if none is running. */
  shutDown(): Promise<void>
}

/** `log` receives warnings of the supervisor, for example about missing isolation. */
export function openControlClient(settings: SupervisorSettings, log: Pick<Logger, 'warn'>): ControlClient {
  const socket = getControlSocket(settings.folder)
  const sendRequest = (request: SocketRequest) => requestSocket(socket, request)
  let pendingSearch: Promise<void> | null = null
  let greetedPid: number | null = null

  async function fetchGreeting(): Promise<SupervisorGreeting | null> {
    const response = await sendRequest({ method: 'GET', path: '/greeting', timeoutMs: 5000 }).catch(() => null)
    return response?.status === 200 ? (JSON.parse(response.body) as SupervisorGreeting) : null
  }

  /** Finds or starts the supervisor. Concurrent calls share one search. Later calls search again, because the supervisor may have ended. */
  function ensure(): Promise<void> {
    pendingSearch ??= findSupervisor().finally(() => (pendingSearch = null))
    return pendingSearch
  }

  async function findSupervisor(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    let startedAt = -Infinity
    for (let pauseMs = 10; ; pauseMs = Math.min(100, pauseMs * 2)) {
      const greeting = await fetchGreeting()
      if (greeting && isCompatible(greeting)) return greet(greeting)
      if (greeting) await send('/leave').catch(() => undefined)
      else if (Date.now() - startedAt > restartPauseMs) {
        startSupervisor(settings)
        startedAt = Date.now()
      }
      if (Date.now() > deadline) throw new HostingError('unreachable', 'the service supervisor did not start in time')
      await wait(pauseMs)
    }
  }

  /** Reports missing isolation, once for each supervisor. */
  function greet({ pid, isolationProblem }: SupervisorGreeting): void {
    if (pid === greetedPid) return
    greetedPid = pid
    // If isolation is off by configuration, the portal reports it at its start instead.
    if (settings.users !== null && isolationProblem)
      log.warn(
        { event: 'service_isolation_missing', problem: isolationProblem },
        'hosted services run as the user of the portal and are not isolated from it or from each other',
      )
  }

  function isCompatible({ version, settings: supervisorSettings }: SupervisorGreeting): boolean {
    if (version > protocolVersion)
      throw new HostingError('unreachable', 'a newer build of the portal runs the services of this data folder')
    return version === protocolVersion && JSON.stringify(supervisorSettings) === JSON.stringify(settings)
  }

  const send = (path: '/leave' | '/stop') => sendRequest({ method: 'POST', path, timeoutMs: 5000 })

  return {
    ensure,

    async call(name, args) {
      await ensure()
      const body = JSON.stringify({ name, arguments: args })
      const response = await sendRequest({ method: 'POST', path: '/call', body, timeoutMs: callTimeoutMs }).catch(
        (cause: unknown) => {
          throw new HostingError('unreachable', 'the service supervisor ended during the call', { cause })
        },
      )
      const callResponse = JSON.parse(
        response.body || '{"fault":"internal","message":"empty response"}',
      ) as SupervisorCallResponse
      if ('result' in callResponse) return callResponse.result as SupervisorCallResult<typeof name>
      if (callResponse.fault === 'internal') throw new HostingError('unreachable', callResponse.message)
      throw new HostingError(callResponse.fault, callResponse.message, { details: callResponse.details ?? {} })
    },

    async shutDown() {
      const greeting = await fetchGreeting()
      const supervisor = greeting && readIdentity(greeting.pid)
      await send('/stop').catch(() => undefined)
      const deadline = Date.now() + startTimeoutMs
      while (supervisor && isRunning(supervisor) && Date.now() < deadline) await wait(20)
    },
  }
}

/** Starts a detached supervisor, which survives the portal. It gets no variables of the portal, because they may contain secrets. */
function startSupervisor(settings: SupervisorSettings): void {
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 })
  const logFile = openSupervisorLog(settings.folder)
  const script = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
  const child = spawn(process.execPath, ['--max-old-space-size=256', script, JSON.stringify(settings)], {
    detached: true,
    stdio: ['ignore', logFile, logFile],
    env: getCompileCacheEnv(),
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.unref()
  closeSync(logFile)
}
