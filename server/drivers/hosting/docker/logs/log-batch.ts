/** Gathers lines for the next object of a log, applies the daily limit, and stores the object with the positions after its lines. */
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { toLogText } from '#server/drivers/hosting/log-text.ts'
import { openDayLimit } from '#server/drivers/hosting/docker/logs/day-usage.ts'
import type { LogFiles, LogState } from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { emptyPosition, type TaskPosition } from '#server/drivers/hosting/docker/logs/log-position.ts'
import { addLogObject } from '#server/drivers/hosting/docker/logs/stored-log.ts'
import type { TaskLine } from '#server/drivers/hosting/docker/logs/task-lines.ts'

/** Entry of the portal that is not stored yet. */
export interface PendingEntry {
  id: string
  /** Epoch ms. */
  time: number
  level: InstanceLogLine['level']
  text: string
}

export interface LogBatchOptions {
  files: LogFiles
  folder: string
  clock: () => number
  /** State before the collection. */
  state: LogState
  dayBytes?: number | undefined
}

export interface LogBatch {
  addEntry(entry: PendingEntry): void
  addLine(line: TaskLine, time: number, task: number): void
  setPosition(taskId: string, position: TaskPosition): void
  getPosition(taskId: string): TaskPosition
  /** Forgets the positions of all other tasks. */
  keepPositions(taskIds: ReadonlySet<string>): void
  /** Uncompressed size in bytes. */
  getBytes(): number
  /** Stores what was added. Returns false if another writer has created the object: the state must be loaded again. */
  store(): Promise<boolean>
  getState(): LogState
  /** Entries that are stored, and numbers of lines that are stored and that were dropped because of the daily limit. */
  getResult(): { storedEntryIds: readonly string[]; storedCount: number; droppedCount: number }
}

/**
 * Most entries that wait for the store, and number of the last stored entries that are known by their ids. It is one number, because after a
 * lost response every waiting entry may be stored already.
 */
export const maxEntryIds = 100
/** Bytes of a stored line besides its text. */
const lineOverhead = 30

export function openLogBatch({ files, folder, clock, state: startState, dayBytes }: LogBatchOptions): LogBatch {
  const limit = openDayLimit(startState.usage, dayBytes)
  let positions = new Map(Object.entries(startState.positions))
  let { sequence, entryIds } = startState
  let lines: InstanceLogLine[] = []
  let bytes = 0
  let isChanged = false
  let unstoredEntryIds: string[] = []
  const storedEntryIds: string[] = []
  let storedCount = 0
  let droppedCount = 0

  const getState = (): LogState => ({
    sequence,
    positions: Object.fromEntries(positions),
    usage: limit.getUsage(),
    entryIds,
  })

  function add(line: InstanceLogLine): void {
    lines.push(line)
    bytes += line.text.length + lineOverhead
  }

  const measure = (text: string) => Buffer.byteLength(text) + lineOverhead

  function addNotices(notices: readonly string[], time: number): void {
    for (const text of notices) add({ time, task: 0, level: 'warn', text })
    isChanged = true
  }

  return {
    addEntry({ id, time, level, text }) {
      const entryText = toLogText(text)
      const { isAccepted, notices } = limit.accept('lifecycle', measure(entryText), clock())
      addNotices(notices, time)
      if (isAccepted) add({ time, task: 0, level, text: entryText })
      unstoredEntryIds.push(id)
      entryIds = [...entryIds, id].slice(-maxEntryIds)
    },
    addLine(line, time, task) {
      const now = clock()
      // The text is converted only if it may be stored, because a service that fills its log writes many lines.
      const text = limit.hasSpace(line.level, lineOverhead, now) ? line.getText() : ''
      const { isAccepted, notices } = limit.accept(line.level, measure(text), now)
      addNotices(notices, time)
      if (isAccepted) add({ time, task, level: line.level, text })
      else droppedCount++
    },
    setPosition: (taskId, position) => void positions.set(taskId, position),
    getPosition: (taskId) => positions.get(taskId) ?? emptyPosition,
    keepPositions(taskIds) {
      positions = new Map([...positions].filter(([taskId]) => taskIds.has(taskId)))
    },
    getBytes: () => bytes,
    async store() {
      if (!isChanged) return true
      if (!(await addLogObject(files, folder, { ...getState(), sequence: sequence + 1 }, lines))) return false
      sequence++
      storedCount += lines.length
      storedEntryIds.push(...unstoredEntryIds)
      unstoredEntryIds = []
      lines = []
      bytes = 0
      isChanged = false
      return true
    },
    getState,
    getResult: () => ({ storedEntryIds, storedCount, droppedCount }),
  }
}
