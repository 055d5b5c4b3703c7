/** Reads the log of an instance, ordered by time. Merges the files of all tasks without loading the files completely. */
import { closeSync, constants, createReadStream, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { logDays } from '#domain/hosting.ts'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { formatDay } from '#server/drivers/hosting/log-text.ts'
import { mergeLogLines } from '#server/drivers/hosting/merge-log-lines.ts'
import { listLogNames, logNamePattern } from '#server/drivers/hosting/local/log-writer.ts'

const dayMs = 86_400_000
/** Maximum size in bytes of all logs of one service. The oldest files are deleted first. */
const maxBytes = 500_000_000
const maxLineLength = 20_000

interface LogFile {
  path: string
  day: string
  task: number
  part: number
}

/** Reads entries from `from` (inclusive) to `to` (exclusive), in epoch ms. `folders` are those of the host and of the tasks. */
export async function* readLogFiles(
  folders: readonly string[],
  { from, to }: { from: number; to: number },
): AsyncGenerator<InstanceLogLine> {
  if (!(to > from)) return
  const [firstDay, lastDay] = [toDay(from), toDay(to)]
  const files = folders.flatMap(listLogFiles).filter(({ day }) => day >= firstDay && day <= lastDay)
  const tasks = [...new Set(files.map(({ task }) => task))].toSorted((a, b) => a - b)
  const sources = tasks.map((task) => {
    const taskFiles = files.filter((file) => file.task === task).toSorted(compareLogFiles)
    return { earliest: from, open: () => readTaskLines(taskFiles, task, from, to) }
  })
  yield* mergeLogLines(sources)
}

const compareLogFiles = (a: LogFile, b: LogFile) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.part - b.part)

/** Converts a time to a day. A time outside the calendar's range becomes its first or last day. */
const toDay = (time: number) => formatDay(Math.min(Math.max(time, 0), 253_402_300_799_999))

const listLogFiles = (folder: string): LogFile[] =>
  listLogNames(folder).flatMap((name) => {
    const [, day, task, part] = logNamePattern.exec(name) ?? []
    return day === undefined ? [] : [{ path: join(folder, name), day, task: Number(task), part: Number(part) }]
  })

async function* readTaskLines(files: readonly LogFile[], task: number, from: number, to: number) {
  for (const [index, { path, day }] of files.entries()) {
    const nextFile = files[index + 1]
    // All entries of a part are older than the first entry of the next part.
    if (nextFile?.day === day && (await readFirstTime(nextFile.path)) < from) continue
    for await (const line of readLines(path, task)) {
      if (line.time >= to) return
      if (line.time >= from) yield line
    }
  }
}

async function readFirstTime(path: string): Promise<number> {
  for await (const { time } of readLines(path, 0)) return time
  return Infinity
}

/** Reads a file up to its current end; it may still be written to. Malformed lines are skipped. */
async function* readLines(path: string, task: number): AsyncGenerator<InstanceLogLine> {
  let rest = ''
  const file = openLogFile(path)
  if (file === null) return
  const chunks = createReadStream(path, { fd: file, encoding: 'utf8' }) as AsyncIterable<string>
  for await (const chunk of chunks) {
    const pieces = (rest + chunk).split('\n')
    rest = pieces.pop() ?? ''
    if (rest.length > maxLineLength) rest = rest.slice(0, maxLineLength)
    for (const piece of pieces) {
      const line = parseLine(piece, task)
      if (line) yield line
    }
  }
}

/** Returns null if the file was deleted or is not a plain file. The folder is untrusted, so links are refused, and pipes do not block. */
function openLogFile(path: string): number | null {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    if (stats.isFile() && stats.nlink === 1) return file
    closeSync(file)
    return null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(code)) return null
    throw error
  }
}

const linePattern = /^(\d{1,15})\t(info|warn|error)\t(.*)$/

function parseLine(piece: string, task: number): InstanceLogLine | null {
  const [, time, level, text] = linePattern.exec(piece) ?? []
  return time === undefined || text === undefined
    ? null
    : { time: Number(time), task, level: level as InstanceLogLine['level'], text }
}

export function removeOldLogs(folders: readonly string[], now: number, limitBytes = maxBytes): void {
  const oldestDay = formatDay(now - logDays * dayMs)
  let bytes = 0
  for (const file of folders.flatMap(listLogFiles).toSorted(compareLogFiles).toReversed()) {
    bytes += lstatSync(file.path, { throwIfNoEntry: false })?.size ?? 0
    if (file.day < oldestDay || bytes > limitBytes) removeFile(file.path)
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Already deleted, or a folder with such a name, which the portal did not create.
  }
}
