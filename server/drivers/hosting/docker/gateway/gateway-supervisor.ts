/** Keeps the process of the gateway running, and sends it the routes: the portal's side. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { getCompileCacheEnv } from '#server/drivers/compile-cache.ts'
import type {
  GatewayMessage,
  GatewayProcessSettings,
  PortalMessage,
  ServiceRoute,
} from '#server/drivers/hosting/docker/gateway/gateway-messages.ts'
import { chooseFreePort, readRememberedPort, rememberPort } from '#server/drivers/hosting/gateway/free-port.ts'

export interface GatewaySupervisorOptions {
  /** Settings of the process. Port 0 chooses a port, preferably the previous one of the folder. */
  settings: GatewayProcessSettings
  /** Folder in which a chosen port is remembered. Null if it is not remembered. */
  folder: string | null
  /** Time in ms between two checks whether the process responds. */
  pingMs?: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

const script = fileURLToPath(new URL('./gateway-process.ts', import.meta.url))
const memoryMb = 256
const defaultPingMs = 10_000
/** A process that leaves that many pings unanswered is replaced. */
const maxMissedPings = 3
/** A process that ran this long in ms was in order: if it ends, the next one is started at once. */
const steadyMs = 60_000
const maxRestartMs = 30_000
/** Time in ms after which a closing process is killed, besides the time for running requests. */
const closeMs = 2000
/** Number of tries after which a remembered port is given up. A previous process may still be ending. */
const rememberedPortTries = 3
const maxOutputLength = 2000

/** Returns the delay in ms before the next start: none after one end, then 250 ms, doubled with each end, up to 30 seconds. */
const getRestartDelay = (endCount: number) => (endCount <= 1 ? 0 : Math.min(maxRestartMs, 125 * 2 ** (endCount - 1)))

export class GatewaySupervisor {
  readonly #options: GatewaySupervisorOptions
  #port: number
  /** True if the chosen port was never used. Then another one can be chosen without changing known addresses. */
  #isFreshPort = false
  #child: ChildProcess | null = null
  #isReady = false
  #isClosing = false
  #startedAt = 0
  #endCount = 0
  #missedPings = 0
  /** End of the output of the current process, for the log. */
  #output = ''
  #routes: readonly ServiceRoute[] | null = null
  #routesText = ''
  #version = 0
  /** Version that the process has not confirmed yet. Null if there is none. */
  #sentVersion: number | null = null
  #restartTimer: NodeJS.Timeout | undefined
  readonly #pingTimer: NodeJS.Timeout

  constructor(options: GatewaySupervisorOptions) {
    this.#options = options
    this.#port = options.settings.port || this.#choosePort()
    this.#pingTimer = setInterval(() => this.#ping(), options.pingMs ?? defaultPingMs).unref()
    this.#start()
  }

  getPort(): number {
    return this.#port
  }

  /** Sends the routes if they differ from the current ones. */
  setRoutes(routes: readonly ServiceRoute[]): void {
    const sortedRoutes = sortRoutes(routes)
    const text = JSON.stringify(sortedRoutes)
    if (text === this.#routesText) return
    this.#routesText = text
    this.#routes = sortedRoutes
    this.#version += 1
    this.#sendRoutes()
  }

  /** Running requests may continue for a while. Resolves when the process has ended. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#pingTimer)
    clearTimeout(this.#restartTimer)
    const child = this.#child
    if (!child) return
    const killTimer = setTimeout(() => child.kill('SIGKILL'), this.#options.settings.drainMs + closeMs)
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve())
      // A process that could not be started may have no `close` event.
      child.once('error', () => {
        if (child.pid === undefined) resolve()
      })
      if (this.#isReady) this.#send({ kind: 'close' })
      else child.kill('SIGKILL')
    })
    clearTimeout(killTimer)
  }

  #choosePort(): number {
    const { folder } = this.#options
    const rememberedPort = folder === null ? null : readRememberedPort(folder)
    return rememberedPort ?? this.#chooseOtherPort()
  }

  #chooseOtherPort(): number {
    const { folder } = this.#options
    const port = chooseFreePort()
    if (folder !== null) {
      mkdirSync(folder, { recursive: true })
      rememberPort(folder, port)
    }
    this.#isFreshPort = true
    return port
  }

  #start(): void {
    this.#isReady = false
    this.#missedPings = 0
    this.#sentVersion = null
    this.#output = ''
    this.#startedAt = Date.now()
    let child: ChildProcess
    try {
      child = this.#forkProcess()
    } catch (error) {
      this.#output = String(error)
      return this.#restart(null, null)
    }
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        if (this.#child === child) this.#output = (this.#output + text).slice(-maxOutputLength)
      })
    child.on('message', (message: GatewayMessage) => {
      if (this.#child === child) this.#handleMessage(message)
    })
    // A process that could not be started has no `close` event in all cases.
    child.on('error', (error) => {
      this.#output += error.message
      if (child.pid === undefined) this.#handleEnd(child, null, null)
    })
    child.on('close', (exitCode, signal) => this.#handleEnd(child, exitCode, signal))
  }

  /** The process gets no variables of the portal, because they may contain secrets. */
  #forkProcess(): ChildProcess {
    return fork(script, [JSON.stringify({ ...this.#options.settings, port: this.#port })], {
      execArgv: [`--max-old-space-size=${memoryMb}`],
      env: getCompileCacheEnv(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
  }

  #handleMessage(message: GatewayMessage): void {
    if (message.kind === 'pong') this.#missedPings = 0
    else if (message.kind === 'port-unavailable') this.#handleUnavailablePort(message)
    else if (message.kind === 'ready') {
      this.#isReady = true
      this.#missedPings = 0
      this.#sendRoutes()
    } else if (message.kind === 'applied') {
      this.#sentVersion = null
      if (message.version !== this.#version) this.#sendRoutes()
    } else {
      this.#isFreshPort = false
      this.#options.log.info(
        { event: 'service_gateway_started', port: this.#port, pid: this.#child?.pid },
        'the gateway of hosted services listens on its port',
      )
    }
  }

  #handleUnavailablePort({ tries, reason }: { tries: number; reason: string }): void {
    const isConfigured = this.#options.settings.port !== 0
    if (tries === 1 && !this.#isFreshPort)
      this.#options.log.warn(
        { event: 'gateway_port_unavailable', port: this.#port, reason },
        'the gateway could not listen on its port; retrying',
      )
    if (this.#isClosing || isConfigured || (!this.#isFreshPort && tries < rememberedPortTries)) return
    this.#port = this.#chooseOtherPort()
    const child = this.#child
    this.#child = null
    child?.kill('SIGKILL')
    this.#start()
  }

  #handleEnd(child: ChildProcess, exitCode: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child !== child) return
    this.#child = null
    this.#isReady = false
    if (!this.#isClosing) this.#restart(exitCode, signal)
  }

  #restart(exitCode: number | null, signal: NodeJS.Signals | null): void {
    this.#endCount = Date.now() - this.#startedAt > steadyMs ? 1 : this.#endCount + 1
    const restartMs = getRestartDelay(this.#endCount)
    this.#options.log[this.#endCount < 3 ? 'warn' : 'error'](
      { event: 'service_gateway_ended', exitCode, signal, restartMs, output: this.#output.trim() },
      'the gateway of hosted services ended and is started again',
    )
    this.#restartTimer = setTimeout(() => this.#start(), restartMs)
  }

  #ping(): void {
    if (!this.#child) return
    this.#missedPings += 1
    if (this.#missedPings <= maxMissedPings) return this.#send({ kind: 'ping' })
    this.#output += 'it did not respond to the portal'
    this.#child.kill('SIGKILL')
  }

  /** At most one version is on its way, so that messages do not pile up if the process hangs. */
  #sendRoutes(): void {
    if (!this.#isReady || this.#routes === null || this.#sentVersion !== null) return
    this.#sentVersion = this.#version
    this.#send({ kind: 'routes', version: this.#version, routes: this.#routes })
  }

  #send(message: PortalMessage): void {
    // If the process has just ended, the next one gets the message.
    this.#child?.send(message, () => undefined)
  }
}

/** Sorts routes and targets, because only their contents count as a change. */
function sortRoutes(routes: readonly ServiceRoute[]): readonly ServiceRoute[] {
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const toText = ({ host, port }: { host: string; port: number }) => `${host} ${port}`
  return routes
    .map(({ code, shouldRun, targets }) => ({
      code,
      shouldRun,
      targets: targets.map(({ host, port }) => ({ host, port })).toSorted((a, b) => compare(toText(a), toText(b))),
    }))
    .toSorted((a, b) => compare(a.code, b.code))
}
