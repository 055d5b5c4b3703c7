/** Collects the logs of services one by one, and knows the latest state of each log. */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { HostingError, type InstanceLogLine, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { type CollectionResult, collectService } from '#server/drivers/hosting/docker/logs/collect-service.ts'
import { maxEntryIds, type PendingEntry } from '#server/drivers/hosting/docker/logs/log-batch.ts'
import {
  getLogFolder,
  listLogObjects,
  type LogFiles,
  type LogState,
} from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { loadLogState, removeLog } from '#server/drivers/hosting/docker/logs/stored-log.ts'
import type { LoggedTask, SwarmLogs } from '#server/drivers/hosting/docker/logs/swarm-logs.ts'
import { blockSizes, cleanUpLog } from '#server/drivers/hosting/docker/logs/clean-up-log.ts'

export interface LogCollectorOptions {
  files: LogFiles
  swarm: SwarmLogs
  clock: () => number
  log: Pick<Logger, 'warn'>
  limits: { dayBytes?: number; objectBytes?: number; maxMs?: number }
  onDamage: (key: string, error: unknown) => void
}

/** Log of one service, as this node knows it. */
export interface LogCollector {
  /**
   * `tasks` are all tasks of the service, null if they are not known. Does nothing while an earlier call runs, unless this is the last call
   * before the tasks are removed. Reports errors to the log.
   */
  collect(tasks: readonly LoggedTask[] | null, options?: { isLast?: boolean }): Promise<void>
  report(error: unknown): void
  /** Duration of the last collection in ms. */
  getDuration(): number
  addEntry(text: string, level: InstanceLogLine['level']): void
  /** Entries that are not stored yet. */
  getEntries(): readonly PendingEntry[]
  storeEntries(): Promise<void>
  erase(): Promise<void>
  close(): void
}

const entryDelayMs = 1000
/** An older state may have been replaced by another node and its objects by a block, so it is loaded again before it is used. */
const maxStateAgeMs = 300_000
const hourMs = 3_600_000
const minuteMs = 60_000
const maxAttempts = 3

export function createLogCollector(ref: InstanceRef, options: LogCollectorOptions): LogCollector {
  const { clock, log } = options
  const logState = openCurrentState(getLogFolder(ref), options)
  let isCollecting = false
  let duration = 0
  let skipUntil = 0
  let reportedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  /** Reports at most one error per hour. */
  function report(error: unknown): void {
    if (clock() - reportedAt < hourMs) return
    reportedAt = clock()
    log.warn(
      { event: 'service_log_not_collected', serviceId: ref.serviceId, code: ref.code, err: error },
      'the log of a hosted service could not be collected completely',
    )
  }

  async function storeEntries(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (logState.getEntries().length === 0) return
    await logState.collect(null).catch(report)
    if (logState.getEntries().length > 0) scheduleEntries(minuteMs)
  }

  function scheduleEntries(delayMs: number): void {
    timer ??= setTimeout(() => void storeEntries(), delayMs).unref()
  }

  return {
    async collect(tasks, { isLast = false } = {}) {
      if (!isLast && (isCollecting || clock() < skipUntil)) return
      isCollecting = true
      const startedAt = clock()
      try {
        const result = await logState.collect(tasks)
        const [error] = result?.errors ?? []
        if (error) report(error)
        // Most of what the platform sends of such a log is dropped, so it is read less often.
        if (result && result.droppedCount > result.storedCount) skipUntil = clock() + minuteMs
      } catch (error) {
        report(error)
      } finally {
        isCollecting = false
        duration = clock() - startedAt
      }
    },
    report,
    getDuration: () => duration,
    addEntry(text, level) {
      logState.addEntry({ id: randomUUID(), time: clock(), level, text })
      scheduleEntries(entryDelayMs)
    },
    getEntries: logState.getEntries,
    storeEntries,
    async erase() {
      clearTimeout(timer)
      timer = undefined
      try {
        await logState.erase()
      } catch (error) {
        throw new HostingError('unreachable', 'The stored log cannot be removed now.', { cause: error })
      }
    },
    close: () => clearTimeout(timer),
  }
}

/** The latest state of a log. Calls that change it run one after the other. */
function openCurrentState(folder: string, { files, swarm, clock, limits, onDamage }: LogCollectorOptions) {
  /** Null if it must be loaded. */
  let state: LogState | null = null
  /** When the state was loaded or stored, in epoch ms. */
  let checkedAt = -Infinity
  let entries: readonly PendingEntry[] = []
  const lineCounts = new Map<string, number>()
  let running: Promise<unknown> = Promise.resolve()

  function runAlone<Result>(run: () => Promise<Result>): Promise<Result> {
    const call = running.then(run)
    running = call.catch(() => undefined)
    return call
  }

  async function takeState(): Promise<LogState> {
    const isOld = checkedAt < clock() - maxStateAgeMs
    const current = (isOld ? null : state) ?? (await loadLogState(files, folder, onDamage))
    // After an error it is unknown what was stored, so the state is loaded again.
    state = null
    entries = entries.filter(({ id }) => !current.entryIds.includes(id))
    return current
  }

  async function collectOnce(tasks: readonly LoggedTask[] | null): Promise<CollectionResult> {
    const startState = await takeState()
    const collection = { files, folder, swarm, clock, state: startState, entries, tasks, lineCounts, ...limits }
    const result = await collectService(collection)
    entries = entries.filter(({ id }) => !result.storedEntryIds.includes(id))
    if (result.state) {
      state = result.state
      checkedAt = clock()
      if (hasClosedBlock(startState.sequence, result.state.sequence)) await cleanUp()
    }
    return result
  }

  async function cleanUp(): Promise<void> {
    const objects = await listLogObjects(files, folder)
    await cleanUpLog({ files, folder, objects, now: clock(), onDamage })
  }

  return {
    getEntries: () => entries,
    addEntry: (entry: PendingEntry) => void (entries = [...entries, entry].slice(-maxEntryIds)),
    /** Throws StoreErrors. Returns null if other writers were always faster. */
    collect: (tasks: readonly LoggedTask[] | null): Promise<CollectionResult | null> =>
      runAlone(async () => {
        for (let attempt = 1; attempt <= maxAttempts; attempt++) {
          const result = await collectOnce(tasks)
          if (result.state) return result
        }
        return null
      }),
    erase: () =>
      runAlone(async () => {
        state = null
        entries = []
        await removeLog(files, folder)
      }),
  }
}

const hasClosedBlock = (before: number, after: number): boolean =>
  Math.floor(before / blockSizes[0]) < Math.floor(after / blockSizes[0])
