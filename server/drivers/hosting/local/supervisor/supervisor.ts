/**
 * Runs the supervisor, a process separate from the portal, so that services survive the portal. Ends itself if no instance should run and
 * no client is connected for some time.
 */
import '#server/config/private-files.ts'
import { rmSync } from 'node:fs'
import { getControlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { startControlServer } from '#server/drivers/hosting/local/supervisor/control-server.ts'
import { type GatewayTarget, openGateway } from '#server/drivers/hosting/gateway/gateway.ts'
import type { HostedInstance } from '#server/drivers/hosting/local/instances/instance.ts'
import { InstanceRegistry } from '#server/drivers/hosting/local/instances/instances.ts'
import type { SupervisorSettings } from '#server/drivers/hosting/local/supervisor/protocol.ts'
import { logSupervisorError } from '#server/drivers/hosting/local/log-supervisor-error.ts'
import { boundSupervisorLog } from '#server/drivers/hosting/local/supervisor/supervisor-log.ts'
import { acquireLock } from '#server/drivers/hosting/local/supervisor/supervisor-lock.ts'

const hourMs = 3_600_000

const settings = JSON.parse(process.argv[2] ?? '') as SupervisorSettings
const release = await acquireLock(settings.folder)
// If another process has the lock, it is the supervisor, and clients use it. Then this process ends.
if (release) await runSupervisor(release)

async function runSupervisor(releaseLock: () => void): Promise<void> {
  const { folder, program, domain, host, port, trustProxy, tls, memoryMb, users, idleMs, times } = settings
  const socket = getControlSocket(folder)
  rmSync(socket, { force: true })
  const gateway = await openGateway({
    folder,
    domain,
    host,
    port,
    trustProxy,
    tls,
    findTarget: (code) => toGatewayTarget(instances.findByCode(code)),
    onPortUnavailable: (unavailablePort, err, tries) => {
      if (tries === 1) reportUnavailablePort(unavailablePort, err)
    },
  })
  const instances = new InstanceRegistry({
    folder,
    program,
    times,
    memoryMb,
    users,
    getAddress: gateway.getAddress,
    onChange: (ref) => control.notify(ref),
  })
  const control = await startControlServer({ socket, settings, instances, end })
  instances.open()
  instances.removeOldLogs()

  const idleTimer = setInterval(
    () => {
      if (control.getQuietMs() > idleMs && !instances.hasWantedInstance()) void end('leave')
    },
    Math.min(1000, idleMs),
  )
  const hourlyTimer = setInterval(() => {
    instances.removeOldLogs()
    boundSupervisorLog(folder)
  }, hourMs)

  let isEnding = false
  /** Ends the supervisor. `leave` keeps the tasks running, and the next supervisor takes them over. */
  async function end(mode: 'leave' | 'stop'): Promise<void> {
    if (isEnding) return
    isEnding = true
    clearInterval(idleTimer)
    clearInterval(hourlyTimer)
    if (mode === 'stop') await instances.shutDown()
    else instances.detach()
    await Promise.all([control.close(), gateway.close()])
    rmSync(socket, { force: true })
    releaseLock()
    process.exit(0)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void end('leave'))
  // After an unexpected error the supervisor ends, and the next one takes over the tasks.
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error: unknown) => {
      logSupervisorError(
        { event: 'supervisor_crashed', err: error, kind },
        'the supervisor stops after an unexpected error',
      )
      process.exit(1)
    })
}

function toGatewayTarget(instance: HostedInstance | null): GatewayTarget | null {
  return (
    instance && {
      listEndpoints: () => instance.listHealthyTasks().map(({ record }) => ({ socketPath: record.socket })),
      shouldRun: () => instance.shouldRun(),
    }
  )
}

const reportUnavailablePort = (port: number, err: Error) =>
  logSupervisorError(
    { event: 'gateway_port_unavailable', err, port },
    'the gateway could not listen on its port; retrying',
  )
