/** Reads a log: the stored lines, then the lines of each task after the stored position. What cannot be read is named by a line of task 0. */
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { HostingError, type InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { type LogSource, mergeLogLines } from '#server/drivers/hosting/merge-log-lines.ts'
import { toLogText } from '#server/drivers/hosting/log-text.ts'
import type { PendingEntry } from '#server/drivers/hosting/docker/logs/log-batch.ts'
import { emptyState, type LogFiles } from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { emptyPosition, type TaskPosition, toMilliseconds } from '#server/drivers/hosting/docker/logs/log-position.ts'
import { readNewLines } from '#server/drivers/hosting/docker/logs/read-new-lines.ts'
import { openStoredLog, type StoredLog, type TimeRange } from '#server/drivers/hosting/docker/logs/stored-log.ts'
import type { LoggedTask, SwarmLogs } from '#server/drivers/hosting/docker/logs/swarm-logs.ts'

export interface LogReading {
  files: LogFiles
  folder: string
  swarm: SwarmLogs
  swarmServiceIds: readonly string[]
  range: TimeRange
  now: number
  /** Entries of this node that are not stored yet. */
  entries: readonly PendingEntry[]
  /** Time in ms in which the store must list the log and send its latest objects. */
  storeMs?: number | undefined
}

const hourMs = 3_600_000
const minuteMs = 60_000
const defaultStoreMs = 8000
/** Number of lines that a task usually writes at most between two collections. */
const liveTail = 200

/**
 * Yields the lines, the oldest first. A range that includes the current hour can be read without the store. Otherwise errors of the store
 * are thrown as HostingErrors.
 */
export async function* readServiceLog(reading: LogReading): AsyncGenerator<InstanceLogLine> {
  const { range } = reading
  if (!(range.to > range.from)) return
  const [stored, tasks] = await Promise.all([openStored(reading), listTasks(reading)])
  const { positions, entryIds } = stored.state
  const liveSources = tasks.tasks.map((task) => createLiveSource(reading, task, positions[task.id] ?? emptyPosition))
  const entries = reading.entries.filter(({ id, time }) => !entryIds.includes(id) && isInside(time, range))
  const entryLines = entries.map(({ time, level, text }) => ({ time, task: 0, level, text: toLogText(text) }))
  const notes = [...stored.notes, ...tasks.notes].map((text) => createNote(reading, text))
  yield* mergeLogLines([...stored.sources, ...liveSources, createListSource(entryLines), createListSource(notes)])
}

const isInside = (time: number, { from, to }: TimeRange) => time >= from && time < to

const createListSource = (lines: readonly InstanceLogLine[]): LogSource => ({
  earliest: -Infinity,
  async *open() {
    yield* lines
  },
})

async function openStored(reading: LogReading): Promise<StoredLog & { notes: string[] }> {
  const { files, folder, range, now, storeMs = defaultStoreMs } = reading
  try {
    const stored = await rejectAfter(openStoredLog(files, folder, range), storeMs)
    return { ...stored, sources: stored.sources.map((source) => guardSource(reading, source)), notes: [] }
  } catch (error) {
    if (!canSkipStore(range, now) || !isUnreachable(error)) throw toHostingError(error)
    return { state: emptyState, sources: [], notes: [storeNote] }
  }
}

const storeNote =
  'The file store does not respond: stored lines are missing here, only current lines of running tasks are shown.'

const canSkipStore = ({ to }: TimeRange, now: number) => to > now - hourMs

/** A damaged object is not skipped, because it stays damaged. */
const isUnreachable = (error: unknown) => error instanceof StoreError && error.fault === 'unreachable'

/** Converts errors of the store. If the store fails during a reading of the current hour, a line says so and the other lines follow. */
function guardSource(reading: LogReading, { earliest, open }: LogSource): LogSource {
  return {
    earliest,
    async *open() {
      let latestTime = 0
      try {
        for await (const line of open()) {
          latestTime = line.time
          yield line
        }
      } catch (error) {
        if (!canSkipStore(reading.range, reading.now) || !isUnreachable(error)) throw toHostingError(error)
        yield createNote(reading, storeNote, latestTime)
      }
    },
  }
}

async function listTasks({ swarm, swarmServiceIds }: LogReading): Promise<{ tasks: LoggedTask[]; notes: string[] }> {
  if (swarmServiceIds.length === 0) return { tasks: [], notes: [] }
  try {
    return { tasks: await swarm.listTasks(swarmServiceIds), notes: [] }
  } catch (error) {
    return { tasks: [], notes: [`The latest lines are missing here. ${formatError(error)}`] }
  }
}

function createLiveSource(reading: LogReading, task: LoggedTask, position: TaskPosition): LogSource {
  const { swarm, range } = reading
  let latestTime = position.latest === '' ? 0 : toMilliseconds(position.latest)
  // Further lines have later times than the position.
  const hasLines = !position.isComplete && latestTime < range.to
  return {
    earliest: Math.max(range.from, latestTime),
    async *open() {
      if (!hasLines) return
      const endedTask = { ...task, hasEnded: true }
      try {
        const lines = readNewLines({ swarm, task: endedTask, position, tail: liveTail, from: range.from })
        for await (const { line, time } of lines) {
          if (time >= range.to) return
          latestTime = time
          if (time >= range.from) yield { time, task: task.number, level: line.level, text: line.getText() }
        }
      } catch (error) {
        const text = `The latest lines of task ${task.number} are missing here. ${formatError(error)}`
        yield createNote(reading, text, latestTime)
      }
    },
  }
}

/**
 * The time is that of a minute, so that a page that reads the log again and again gets the line only once. It is not before `earliest`, the
 * time of the line before it.
 */
function createNote({ range: { from, to }, now }: LogReading, text: string, earliest = 0): InstanceLogLine {
  const time = Math.floor(Math.min(now, to - 1) / minuteMs) * minuteMs
  return { time: Math.max(from, time, earliest), task: 0, level: 'warn', text: toLogText(text) }
}

const formatError = (error: unknown) => (error instanceof Error ? error.message : 'Unknown error.')

const toHostingError = (error: unknown): HostingError =>
  error instanceof HostingError
    ? error
    : new HostingError('unreachable', 'The stored log cannot be read now.', { cause: error })

async function rejectAfter<Result>(step: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreError('unreachable', 'The file store does not respond.')), timeoutMs)
  })
  try {
    return await Promise.race([step, timeout])
  } finally {
    clearTimeout(timer)
  }
}
