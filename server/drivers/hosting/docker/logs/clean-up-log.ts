/**
 * Merges the objects of a log to blocks, and removes old ones. Blocks have fixed boundaries (32 and 1024 numbers), so two nodes that do this
 * at the same time write blocks that replace the same objects. A replaced object is ignored by readers and removed later.
 */
import { logDays } from '#domain/hosting.ts'
import { HostingError, type InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { type LogSource, mergeLogLines } from '#server/drivers/hosting/merge-log-lines.ts'
import {
  decodeLogObject,
  encodeLogObject,
  getBlockKey,
  loadObject,
  type LogFiles,
  type LogObject,
  type LogState,
  removeReplacedObjects,
} from '#server/drivers/hosting/docker/logs/log-objects.ts'
import { runLimited } from '#server/drivers/hosting/docker/logs/run-limited.ts'

/** Numbers of objects that a block replaces: of single objects, and of blocks of the first size. */
export const blockSizes = [32, 1024] as const
/** Replaced objects are removed after this time in ms, so that a reading that began earlier can end. */
const removalDelayMs = 600_000
const dayMs = 86_400_000
const maxRequests = 4

/** Returns the time of the oldest lines that are stored. Older ones are neither read nor collected. */
export const getOldestTime = (now: number): number => now - logDays * dayMs

export interface LogCleanUpOptions {
  files: LogFiles
  folder: string
  objects: readonly LogObject[]
  now: number
  onDamage: (key: string, error: unknown) => void
}

/** Every change is repeatable, and may end between any two steps. */
export async function cleanUpLog({ files, folder, objects, now, onDamage }: LogCleanUpOptions): Promise<void> {
  const current = removeReplacedObjects(objects)
  for (const key of listRemovableKeys(objects, current, now)) await files.remove(key)
  const remaining = current.filter((object) => !isExpired(object, now))
  const end = remaining.at(-1)?.last ?? 0
  let childSize = 1
  for (const size of blockSizes) {
    for (const [index, children] of groupChildren(remaining, childSize, size)) {
      const range = { first: index * size + 1, last: (index + 1) * size }
      if (range.last > end) continue
      try {
        await writeBlock(files, folder, range, children)
      } catch (error) {
        // Errors of the store end the clean-up.
        if (!(error instanceof HostingError)) throw error
        onDamage(`${folder}${range.first}-${range.last}`, error)
      }
    }
    childSize = size
  }
}

/**
 * Removes what another node was still writing while the log was erased. Newer objects stay, because the service may have been created again
 * in the meantime.
 */
export async function removeErasedLog(files: LogFiles, objects: readonly LogObject[], now: number): Promise<void> {
  for (const { key, modifiedAt } of objects) if (modifiedAt < now - removalDelayMs) await files.remove(key)
}

function listRemovableKeys(objects: readonly LogObject[], current: readonly LogObject[], now: number): string[] {
  const currentKeys = new Set(current.map(({ key }) => key))
  const replaced = objects.filter((object) => {
    if (currentKeys.has(object.key)) return false
    const block = current.find(({ first, last }) => first <= object.first && last >= object.last)
    return block !== undefined && block.modifiedAt < now - removalDelayMs
  })
  return [...replaced, ...current.filter((object) => isExpired(object, now))].map(({ key }) => key)
}

const isExpired = ({ times, modifiedAt }: LogObject, now: number) => (times?.to ?? modifiedAt) < getOldestTime(now)

const getSize = ({ times, first, last }: LogObject) => (times === null ? 1 : last - first + 1)

/** Groups the objects of a size by the block that will replace them. A group with smaller objects is not ready. */
function groupChildren(objects: readonly LogObject[], childSize: number, size: number): Map<number, LogObject[]> {
  const groups = new Map<number, LogObject[]>()
  for (const object of objects)
    if (getSize(object) < size) {
      const index = Math.floor((object.first - 1) / size)
      groups.set(index, [...(groups.get(index) ?? []), object])
    }
  for (const [index, children] of groups)
    if (children.some((child) => getSize(child) !== childSize)) groups.delete(index)
  return groups
}

interface BlockChild {
  object: LogObject
  state: LogState
  source: LogSource
  times: { from: number; to: number } | null
}

async function writeBlock(
  files: LogFiles,
  folder: string,
  range: { first: number; last: number },
  objects: readonly LogObject[],
): Promise<void> {
  const children = await runLimited(objects, maxRequests, (object) => openChild(files, object))
  const last = children.at(-1)
  if (!last) return
  const times = children.flatMap((child) => child.times ?? [])
  const emptyTime = Math.trunc(last.object.modifiedAt)
  const from = times.length > 0 ? Math.min(...times.map((time) => time.from)) : emptyTime
  const to = times.length > 0 ? Math.max(...times.map((time) => time.to)) : emptyTime
  const lines = mergeLogLines(children.map(({ source }) => source))
  const state = { ...last.state, sequence: range.last }
  const key = getBlockKey(folder, { ...range, from, to })
  await files.put(key, encodeLogObject(state, lines), { onlyIfAbsent: true })
}

/** A single object is loaded, because its times are not in its name. A block is read when the merged log reaches it. */
async function openChild(files: LogFiles, object: LogObject): Promise<BlockChild> {
  const { key, times } = object
  if (times === null) {
    const getBytes = await loadObject(files, key)
    const decode = () => decodeLogObject(key, getBytes())
    const { state, lines } = await decode()
    const lineTimes = await readTimes(lines)
    return {
      object,
      state,
      times: lineTimes,
      source: { earliest: lineTimes?.from ?? 0, open: () => readLines(decode()) },
    }
  }
  const decode = () => decodeLogObject(key, files.get(key))
  const { state, lines } = await decode()
  await lines.return(undefined)
  return { object, state, times, source: { earliest: times.from, open: () => readLines(decode()) } }
}

async function* readLines(decoded: Promise<{ lines: AsyncGenerator<InstanceLogLine> }>) {
  yield* (await decoded).lines
}

async function readTimes(lines: AsyncGenerator<InstanceLogLine>): Promise<{ from: number; to: number } | null> {
  let times: { from: number; to: number } | null = null
  for await (const { time } of lines)
    times =
      times === null ? { from: time, to: time } : { from: Math.min(times.from, time), to: Math.max(times.to, time) }
  return times
}
