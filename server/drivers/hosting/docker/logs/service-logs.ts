/** Logs of Swarm services: read from any node of the portal, and kept in the file store after their containers are removed. */
import type Docker from 'dockerode'
import type { Logger } from 'pino'
import type { InstanceLogLine, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import {
  createLogCollector,
  type LogCollector,
  type LogCollectorOptions,
} from '#server/drivers/hosting/docker/logs/log-collector.ts'
import {
  getLogFolder,
  type LogFiles,
  type LogObject,
  logRoot,
  parseLogObject,
} from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { readServiceLog } from '#server/drivers/hosting/docker/logs/read-log.ts'
import { runLimited } from '#server/drivers/hosting/docker/logs/run-limited.ts'
import { createSwarmLogs, type LoggedTask } from '#server/drivers/hosting/docker/logs/swarm-logs.ts'
import { cleanUpLog, getOldestTime, removeErasedLog } from '#server/drivers/hosting/docker/logs/clean-up-log.ts'

export interface LoggedService {
  ref: InstanceRef
  /** Ids of the Swarm services whose logs belong to it (also of maintenance tasks); may be empty. */
  swarmServiceIds: readonly string[]
}

export interface ServiceLogsOptions {
  docker: Docker
  files: LogFiles
  clock: () => number
  log: Pick<Logger, 'warn'>
  /** Other limits for tests, see `Collection`, `SwarmLogsOptions` and `LogReading`. */
  limits?: LogCollectorOptions['limits'] & { silenceMs?: number; storeMs?: number }
}

export interface ServiceLogs {
  /** Reads lines from `from` (inclusive) to `to` (exclusive), in epoch ms, oldest first. Throws HostingErrors. */
  read(service: LoggedService, range: { from: number; to: number }): AsyncGenerator<InstanceLogLine>
  /**
   * Copies new lines to the store, and cleans the store up once per hour. Called by one node every 15 s with all services that have a log, also
   * removed ones, and with all erased services. Reports errors to the log of the portal.
   */
  collect(services: readonly LoggedService[], erased?: readonly InstanceRef[]): Promise<void>
  /** Copies the lines of one service before its tasks are removed, also while `collect` runs. Reports errors to the log of the portal. */
  collectLast(service: LoggedService): Promise<void>
  /** Adds an entry of the portal (task 0). This node stores it after a second, and at the latest in `close`. */
  write(ref: InstanceRef, text: string, level?: InstanceLogLine['level']): void
  /** Removes the log. Throws `unreachable`. */
  erase(ref: InstanceRef): Promise<void>
  /** Stores the entries that are not stored yet. */
  close(): Promise<void>
}

const maxServices = 4
const hourMs = 3_600_000

export function createServiceLogs({ docker, files, clock, log, limits = {} }: ServiceLogsOptions): ServiceLogs {
  const { silenceMs, storeMs, ...collectorLimits } = limits
  const swarm = createSwarmLogs({ docker, clock, silenceMs })
  const collectors = new Map<string, LogCollector>()
  let cleanedUpAt = -Infinity

  const onDamage = (key: string, error: unknown) =>
    log.warn({ event: 'service_log_damaged', file: key, err: error }, 'a stored part of a service log is not readable')

  function getCollector(ref: InstanceRef): LogCollector {
    const folder = getLogFolder(ref)
    const collector =
      collectors.get(folder) ?? createLogCollector(ref, { files, swarm, clock, log, limits: collectorLimits, onDamage })
    collectors.set(folder, collector)
    return collector
  }

  /** Returns null if the platform does not respond. */
  async function listTasks(services: readonly LoggedService[]): Promise<LoggedTask[] | null> {
    try {
      return await swarm.listTasks(services.flatMap(({ swarmServiceIds }) => swarmServiceIds))
    } catch (error) {
      for (const { ref } of services) getCollector(ref).report(error)
      return null
    }
  }

  return {
    async *read({ ref, swarmServiceIds }, { from, to }) {
      const now = clock()
      const range = { from: Math.max(from, getOldestTime(now)), to }
      const entries = collectors.get(getLogFolder(ref))?.getEntries() ?? []
      yield* readServiceLog({ files, folder: getLogFolder(ref), swarm, swarmServiceIds, range, now, entries, storeMs })
    },
    async collect(services, erased = []) {
      const tasks = await listTasks(services)
      // Slow services are last, so that they do not delay the others.
      const sorted = services
        .map((service) => ({ ...service, collector: getCollector(service.ref) }))
        .toSorted((a, b) => a.collector.getDuration() - b.collector.getDuration())
      await runLimited(sorted, maxServices, ({ collector, swarmServiceIds }) =>
        collector.collect(tasks && tasks.filter((task) => swarmServiceIds.includes(task.swarmServiceId))),
      )
      if (clock() - cleanedUpAt < hourMs) return
      cleanedUpAt = clock()
      await cleanUpLogs({ files, clock, erased, onDamage }).catch((error: unknown) => {
        log.warn(
          { event: 'service_logs_not_cleaned_up', err: error },
          'old service logs could not be merged or removed',
        )
      })
    },
    async collectLast(service) {
      const tasks = await listTasks([service])
      await getCollector(service.ref).collect(tasks, { isLast: true })
    },
    write: (ref, text, level = 'info') => getCollector(ref).addEntry(text, level),
    async erase(ref) {
      await getCollector(ref).erase()
      collectors.delete(getLogFolder(ref))
    },
    async close() {
      await Promise.all([...collectors.values()].map((collector) => collector.storeEntries()))
      for (const collector of collectors.values()) collector.close()
    },
  }
}

interface CleanUpOptions {
  files: LogFiles
  clock: () => number
  erased: readonly InstanceRef[]
  onDamage: (key: string, error: unknown) => void
}

/** Cleans up all logs of the store, also those of services that no longer exist. */
async function cleanUpLogs({ files, clock, erased, onDamage }: CleanUpOptions): Promise<void> {
  const erasedFolders = new Set(erased.map(getLogFolder))
  let folder = ''
  let objects: LogObject[] = []
  const cleanUpFolder = () =>
    erasedFolders.has(folder)
      ? removeErasedLog(files, objects, clock())
      : cleanUpLog({ files, folder, objects, now: clock(), onDamage })
  // The list is sorted, so the objects of a log follow each other.
  for await (const stored of files.list(logRoot)) {
    const parsed = parseLogObject(stored)
    if (parsed === null) continue
    if (parsed.folder !== folder) {
      await cleanUpFolder()
      folder = parsed.folder
      objects = []
    }
    objects.push(parsed.object)
  }
  await cleanUpFolder()
}
