/** Copies the new lines of a service's tasks, and entries of the portal, to the file store. */
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogState } from '#server/drivers/hosting/docker/logs/log-objects.ts'
import {
  type LogBatch,
  type LogBatchOptions,
  openLogBatch,
  type PendingEntry,
} from '#server/drivers/hosting/docker/logs/log-batch.ts'
import { readNewLines } from '#server/drivers/hosting/docker/logs/read-new-lines.ts'
import type { LoggedTask, SwarmLogs } from '#server/drivers/hosting/docker/logs/swarm-logs.ts'
import { getOldestTime } from '#server/drivers/hosting/docker/logs/clean-up-log.ts'

export interface Collection extends LogBatchOptions {
  swarm: SwarmLogs
  entries: readonly PendingEntry[]
  /** Null if they are not known: then only entries are stored. */
  tasks: readonly LoggedTask[] | null
  /** Number of new lines of each task in the last collection, by task id. Only makes the next one faster. */
  lineCounts: Map<string, number>
  /** Uncompressed size of an object in bytes after which another one begins. Bounds the memory. */
  objectBytes?: number | undefined
  /** Time in ms after which the rest is left to the next collection. */
  maxMs?: number | undefined
}

export interface CollectionResult {
  /** Null if another writer has added an object: the state must be loaded again. */
  state: LogState | null
  storedEntryIds: readonly string[]
  storedCount: number
  /** Number of lines that were not stored because of the daily limit. */
  droppedCount: number
  /** Errors of tasks whose lines could not be read completely. */
  errors: readonly HostingError[]
}

const defaultObjectBytes = 1_000_000
const defaultMaxMs = 10_000
/** Limits of the number of last lines that are read first. */
const minTail = 20
const maxTail = 500
/** Number of lines after which the time is checked. */
const checkInterval = 256

/** Throws StoreErrors: then it is unknown whether the last object was stored, and the state must be loaded again. */
export async function collectService(collection: Collection): Promise<CollectionResult> {
  const { clock, entries, tasks, maxMs = defaultMaxMs } = collection
  const batch = openLogBatch(collection)
  const deadline = clock() + maxMs
  const errors: HostingError[] = []
  for (const entry of entries) batch.addEntry(entry)
  if (tasks !== null) forgetTasks(batch, collection.lineCounts, new Set(tasks.map(({ id }) => id)))
  let isCurrent = true
  // The tasks with the fewest lines first, so that a task that writes all the time does not use up the time of the others.
  const getLineCount = ({ id }: LoggedTask) => collection.lineCounts.get(id) ?? 0
  for (const task of (tasks ?? []).toSorted((a, b) => getLineCount(a) - getLineCount(b))) {
    if (batch.getPosition(task.id).isComplete || clock() > deadline) continue
    isCurrent = await copyTask(collection, { batch, task, deadline, errors })
    if (!isCurrent) break
  }
  isCurrent &&= await batch.store()
  return { state: isCurrent ? batch.getState() : null, ...batch.getResult(), errors }
}

/** Forgets the tasks that the platform has forgotten. */
function forgetTasks(batch: LogBatch, lineCounts: Map<string, number>, taskIds: ReadonlySet<string>): void {
  batch.keepPositions(taskIds)
  for (const id of lineCounts.keys()) if (!taskIds.has(id)) lineCounts.delete(id)
}

/** Returns false if another writer was faster. */
async function copyTask(
  { swarm, clock, lineCounts, objectBytes = defaultObjectBytes }: Collection,
  { batch, task, deadline, errors }: { batch: LogBatch; task: LoggedTask; deadline: number; errors: HostingError[] },
): Promise<boolean> {
  const oldestTime = getOldestTime(clock())
  let position = batch.getPosition(task.id)
  let count = 0
  const savePosition = (isComplete: boolean) => {
    batch.setPosition(task.id, { ...position, isComplete })
    lineCounts.set(task.id, count)
  }
  const tail = Math.min(maxTail, minTail + 2 * (lineCounts.get(task.id) ?? 0))
  try {
    for await (const next of readNewLines({ swarm, task, position, tail })) {
      position = next.position
      if (next.time >= oldestTime) batch.addLine(next.line, next.time, task.number)
      if (batch.getBytes() >= objectBytes) {
        savePosition(false)
        if (!(await batch.store())) return false
      }
      if (++count % checkInterval === 0 && clock() > deadline) {
        savePosition(false)
        return true
      }
    }
  } catch (error) {
    // Errors of the store end the collection.
    if (!(error instanceof HostingError)) throw error
    errors.push(error)
    savePosition(false)
    return true
  }
  savePosition(task.hasEnded)
  return true
}
