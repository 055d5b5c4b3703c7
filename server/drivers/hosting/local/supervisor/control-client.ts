/** The portal's end of the socket: finds the supervisor of a folder, starts one where nobody answers, and calls it. */
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
import { requestSocket, type SocketRequest } from '#server/drivers/hosting/local/socket-http.ts'

/** Until a supervisor that was started answers, and how often another one is tried. */
const startTimeoutMs = 20_000
const restartPauseMs = 3000
/** An installation of many large packages is the longest. */
const callTimeoutMs = 180_000

export interface ControlClient {
  call<Name extends SupervisorCallName>(
    name: Name,
    args: SupervisorCallArguments<Name>,
  ): Promise<SupervisorCallResult<Name>>
  /** Starts a supervisor where none is. Throws HostingError `unreachable`. */
  ensure(): Promise<void>
  /** Ends it with all that runs, and resolves when it has ended; nothing to do where none is. */
  shutDown(): Promise<void>
}

/** `log`: hears what a supervisor could not do for its services. */
export function openControlClient(settings: SupervisorSettings, log: Pick<Logger, 'warn'>): ControlClient {
  const socket = getControlSocket(settings.folder)
  const sendRequest = (request: SocketRequest) => requestSocket(socket, request)
  let pendingSearch: Promise<void> | null = null
  let greetedPid: number | null = null

  async function fetchGreeting(): Promise<SupervisorGreeting | null> {
    const response = await sendRequest({ method: 'GET', path: '/greeting', timeoutMs: 5000 }).catch(() => null)
    return response?.status === 200 ? (JSON.parse(response.body) as SupervisorGreeting) : null
  }

  /** One at a time, and again when it has ended since. */
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
      if (Date.now() > deadline) throw new HostingError('unreachable', 'the supervisor of services does not start')
      await wait(pauseMs)
    }
  }

  /** Once for each supervisor. */
  function greet({ pid, isolationProblem }: SupervisorGreeting): void {
    if (pid === greetedPid) return
    greetedPid = pid
    // Where none were asked for, the start of the portal says so.
    if (settings.users !== null && isolationProblem)
      log.warn(
        { event: 'service_isolation_missing', problem: isolationProblem },
        'hosted services run as the user of the portal and are not isolated from it or from each other',
      )
  }

  function isCompatible({ version, settings: supervisorSettings }: SupervisorGreeting): boolean {
    if (version > protocolVersion)
      throw new HostingError('unreachable', 'a later build of the portal runs the services of this folder')
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
          throw new HostingError('unreachable', 'the supervisor of services ended meanwhile', { cause })
        },
      )
      const callResponse = JSON.parse(
        response.body || '{"fault":"internal","message":"no answer"}',
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

/** Detached: it lives on without us. Of our environment it gets nothing that could be a secret. */
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
