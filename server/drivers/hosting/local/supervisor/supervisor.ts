/**
 * The program that runs the services of one folder, apart from the portal, so that they go on whatever becomes of it. Started by the
 * driver when it is needed; ends by itself when nothing is to run and nobody has asked for a while.
 */
import '#server/config/private-files.ts'
import { rmSync } from 'node:fs'
import { controlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { startControl } from '#server/drivers/hosting/local/supervisor/control-server.ts'
import { openGateway } from '#server/drivers/hosting/local/gateway.ts'
import { openInstances } from '#server/drivers/hosting/local/instances/instances.ts'
import type { SupervisorSettings } from '#server/drivers/hosting/local/supervisor/protocol.ts'
import { boundSupervisorLog } from '#server/drivers/hosting/local/supervisor/supervisor-log.ts'
import { takeLock } from '#server/drivers/hosting/local/supervisor/lock.ts'

const hourMs = 3_600_000

const settings = JSON.parse(process.argv[2] ?? '') as SupervisorSettings
const release = await takeLock(settings.folder)
// Another one is at work: whoever wanted this one asks that one.
if (release) await run(release)

async function run(letGo: () => void): Promise<void> {
  const { folder, program, domain, port, trustProxy, tls, memoryMb, users, idleMs, times } = settings
  const socket = controlSocket(folder)
  rmSync(socket, { force: true })
  const gateway = await openGateway({ folder, domain, port, trustProxy, tls, find: (code) => instances.byCode(code) })
  const instances = openInstances({
    folder,
    program,
    times,
    memoryMb,
    users,
    addressOf: gateway.addressOf,
    changed: (ref) => control.tell(ref),
  })
  const control = await startControl({ socket, settings, instances, end })
  instances.open()
  instances.removeOldLogs()

  const idle = setInterval(
    () => {
      if (control.quietMs() > idleMs && !instances.anyWanted()) void end('leave')
    },
    Math.min(1000, idleMs),
  )
  const hourly = setInterval(() => {
    instances.removeOldLogs()
    boundSupervisorLog(folder)
  }, hourMs)

  let isEnding = false
  /** `leave`: what runs goes on, for the next supervisor to adopt. */
  async function end(what: 'leave' | 'stop'): Promise<void> {
    if (isEnding) return
    isEnding = true
    clearInterval(idle)
    clearInterval(hourly)
    if (what === 'stop') await instances.shutDown()
    else instances.letGo()
    await Promise.all([control.close(), gateway.close()])
    rmSync(socket, { force: true })
    letGo()
    process.exit(0)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void end('leave'))
  // What nobody foresaw: the next one begins where this one stood.
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(kind, (error: unknown) => {
      console.error(new Date().toISOString(), kind, error)
      process.exit(1)
    })
}
