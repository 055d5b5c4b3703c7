/**
 * The log of one service in the file store. Each collection adds an object with the next number, which only one writer can create. The
 * object contains the lines and the positions after them, so a line is stored exactly once, whoever collects and whatever is killed.
 */
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { HostingError, type InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogSource } from '#server/drivers/hosting/merge-log-lines.ts'
import {
  decodeLogObject,
  emptyState,
  encodeLogObject,
  getObjectKey,
  listLogObjects,
  loadObject,
  type LogFiles,
  type LogObject,
  type LogState,
  removeReplacedObjects,
} from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { runLimited } from '#server/drivers/hosting/docker/logs/run-limited.ts'

const maxAttempts = 3
const maxRequests = 4
/** The clocks of the store and of the portal may differ by this many ms. */
const clockToleranceMs = 600_000

export interface TimeRange {
  /** Epoch ms; `to` is exclusive. */
  from: number
  to: number
}

/**
 * Reads the current state. An object that is damaged is reported, and the state before it is used: its lines are collected again if the
 * platform still has them.
 */
export async function loadLogState(
  files: LogFiles,
  folder: string,
  onDamage: (key: string, error: unknown) => void,
): Promise<LogState> {
  return repeatIfChanged(async () => {
    const objects = removeReplacedObjects(await listLogObjects(files, folder))
    const sequence = objects.at(-1)?.last ?? 0
    for (const { key } of objects.toReversed()) {
      try {
        return { ...(await readState(files, key)), sequence }
      } catch (error) {
        if (!(error instanceof HostingError)) throw error
        onDamage(key, error)
      }
    }
    return { ...emptyState, sequence }
  })
}

async function readState(files: LogFiles, key: string): Promise<LogState> {
  const { state, lines } = await decodeLogObject(key, files.get(key))
  await lines.return(undefined)
  return state
}

/** Stores the lines of a collection. Returns false if another writer has already created the object. */
export async function addLogObject(
  files: LogFiles,
  folder: string,
  state: LogState,
  lines: readonly InstanceLogLine[],
): Promise<boolean> {
  const sorted = lines.toSorted((a, b) => a.time - b.time || a.task - b.task)
  const body = encodeLogObject(state, sorted)
  const { isWritten } = await files.put(getObjectKey(folder, state.sequence), body, { onlyIfAbsent: true })
  return isWritten
}

export interface StoredLog {
  /** State of the newest object. */
  state: LogState
  /** Lines of the range. Blocks are read when the merged log reaches them. */
  sources: LogSource[]
}

/** Throws StoreErrors, and HostingErrors for objects that are damaged. */
export async function openStoredLog(files: LogFiles, folder: string, range: TimeRange): Promise<StoredLog> {
  return repeatIfChanged(async () => {
    const objects = removeReplacedObjects(await listLogObjects(files, folder))
    const last = objects.at(-1)
    const matches = objects.filter((object) => overlaps(object, range))
    const small = matches.filter(({ times }) => times === null)
    // Their bytes are loaded at once, because they are few and small, and only then it is known which lines they have.
    const smallSources = await runLimited(small, maxRequests, async ({ key }) => {
      const getBytes = await loadObject(files, key)
      return createSource(key, getBytes, range, -Infinity)
    })
    const blockSources = matches.flatMap(({ key, times }) =>
      times === null ? [] : [createSource(key, () => files.get(key), range, times.from)],
    )
    const state = last ? await readState(files, last.key) : emptyState
    return { state, sources: [...blockSources, ...smallSources] }
  })
}

function overlaps({ times, modifiedAt }: LogObject, { from, to }: TimeRange): boolean {
  return times === null ? modifiedAt + clockToleranceMs >= from : times.to >= from && times.from < to
}

const createSource = (
  key: string,
  getBytes: () => AsyncIterable<Uint8Array>,
  range: TimeRange,
  earliest: number,
): LogSource => ({ earliest, open: () => readObjectLines(key, getBytes(), range) })

async function* readObjectLines(
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  { from, to }: TimeRange,
): AsyncGenerator<InstanceLogLine> {
  const { lines } = await decodeLogObject(key, bytes)
  for await (const line of lines) {
    if (line.time >= to) return
    if (line.time >= from) yield line
  }
}

/** Removes all objects of a log. */
export async function removeLog(files: LogFiles, folder: string): Promise<void> {
  for await (const { key } of files.list(folder)) await files.remove(key)
}

/** Repeats a reading if an object was removed meanwhile: a block has replaced it. */
async function repeatIfChanged<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      const isRemoved = error instanceof StoreError && error.fault === 'missing'
      if (!isRemoved || attempt === maxAttempts) throw error
    }
  }
}
