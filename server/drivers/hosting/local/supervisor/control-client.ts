/** The portal's end of the socket: finds the supervisor of a folder, starts one where nobody answers, and calls it. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { compileCacheEnv } from '#server/drivers/compile-cache.ts'
import { HostingError } from '#server/drivers/hosting/driver.ts'
import { identityOf, isRunning } from '#server/drivers/hosting/local/process-identity.ts'
import {
  type CallAnswer,
  type CallArguments,
  type CallName,
  type CallResult,
  type Greeting,
  protocolVersion,
  type SupervisorSettings,
} from '#server/drivers/hosting/local/supervisor/protocol.ts'
import { openSupervisorLog } from '#server/drivers/hosting/local/supervisor/supervisor-log.ts'
import { controlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { askSocket, type SocketRequest } from '#server/drivers/hosting/local/socket-http.ts'

/** Until a supervisor that was started answers, and how often another one is tried. */
const startMs = 20_000
const startAgainMs = 3000
/** An installation of many large packages is the longest. */
const callMs = 180_000

export interface ControlClient {
  call<N extends CallName>(name: N, given: CallArguments<N>): Promise<CallResult<N>>
  /** Starts a supervisor where none is. Throws HostingError `unreachable`. */
  ensure(): Promise<void>
  /** Ends it with all that runs, and resolves when it has ended; nothing to do where none is. */
  shutDown(): Promise<void>
}

/** `log`: hears what a supervisor could not do for its services. */
export function openControlClient(settings: SupervisorSettings, log: Pick<Logger, 'warn'>): ControlClient {
  const socket = controlSocket(settings.folder)
  const ask = (request: SocketRequest) => askSocket(socket, request)
  let ready: Promise<void> | null = null
  let greetedPid: number | null = null

  async function greeting(): Promise<Greeting | null> {
    const answer = await ask({ method: 'GET', path: '/greeting', timeoutMs: 5000 }).catch(() => null)
    return answer?.status === 200 ? (JSON.parse(answer.body) as Greeting) : null
  }

  /** One at a time, and again when it has ended since. */
  function ensure(): Promise<void> {
    ready ??= find().finally(() => (ready = null))
    return ready
  }

  async function find(): Promise<void> {
    const deadline = Date.now() + startMs
    let startedAt = -Infinity
    for (let pauseMs = 10; ; pauseMs = Math.min(100, pauseMs * 2)) {
      const found = await greeting()
      if (found && fits(found)) return greet(found)
      if (found) await send('/leave').catch(() => undefined)
      else if (Date.now() - startedAt > startAgainMs) {
        startSupervisor(settings)
        startedAt = Date.now()
      }
      if (Date.now() > deadline) throw new HostingError('unreachable', 'the supervisor of services does not start')
      await wait(pauseMs)
    }
  }

  /** Once for each supervisor. */
  function greet({ pid, isolationProblem }: Greeting): void {
    if (pid === greetedPid) return
    greetedPid = pid
    // Where none were asked for, the start of the portal says so.
    if (settings.users !== null && isolationProblem)
      log.warn({ problem: isolationProblem }, 'hosted services share the user of the portal')
  }

  function fits({ version, settings: its }: Greeting): boolean {
    if (version > protocolVersion)
      throw new HostingError('unreachable', 'a later build of the portal runs the services of this folder')
    return version === protocolVersion && JSON.stringify(its) === JSON.stringify(settings)
  }

  const send = (path: '/leave' | '/stop') => ask({ method: 'POST', path, timeoutMs: 5000 })

  return {
    ensure,

    async call(name, given) {
      await ensure()
      const body = JSON.stringify({ name, arguments: given })
      const answer = await ask({ method: 'POST', path: '/call', body, timeoutMs: callMs }).catch((cause: unknown) => {
        throw new HostingError('unreachable', 'the supervisor of services ended meanwhile', { cause })
      })
      const said = JSON.parse(answer.body || '{"fault":"internal","message":"no answer"}') as CallAnswer
      if ('result' in said) return said.result as CallResult<typeof name>
      if (said.fault === 'internal') throw new HostingError('unreachable', said.message)
      throw new HostingError(said.fault, said.message, { details: said.details ?? {} })
    },

    async shutDown() {
      const found = await greeting()
      const its = found && identityOf(found.pid)
      await send('/stop').catch(() => undefined)
      const deadline = Date.now() + startMs
      while (its && isRunning(its) && Date.now() < deadline) await wait(20)
    },
  }
}

/** Detached: it lives on without us. Of our environment it gets nothing that could be a secret. */
function startSupervisor(settings: SupervisorSettings): void {
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 })
  const said = openSupervisorLog(settings.folder)
  const script = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
  const child = spawn(process.execPath, ['--max-old-space-size=256', script, JSON.stringify(settings)], {
    detached: true,
    stdio: ['ignore', said, said],
    env: compileCacheEnv(),
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.unref()
  closeSync(said)
}
