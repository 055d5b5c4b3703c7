/** Reads the log of an instance as a stream, in the order of time: the files of its tasks are merged, none is held whole. */
import { closeSync, constants, createReadStream, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '#server/drivers/hosting/driver.ts'
import { dayOf, logNames, logNameShape } from '#server/drivers/hosting/local/log-writer.ts'

const keptDays = 180
const dayMs = 86_400_000
/** Of one service, all days together: the oldest go first. */
const maxBytes = 500_000_000
/** Longer than any line of ours: such a piece is none. */
const maxLine = 20_000

interface LogFile {
  path: string
  day: string
  task: number
  part: number
}

/** Lines from `from` on, before `to` (epoch ms). `folders`: of the host, and of its tasks. */
export async function* readLogFiles(
  folders: readonly string[],
  { from, to }: { from: number; to: number },
): AsyncGenerator<LogLine> {
  if (!(to > from)) return
  const [first, last] = [dayAt(from), dayAt(to)]
  const files = folders.flatMap(logFiles).filter(({ day }) => day >= first && day <= last)
  const tasks = [...new Set(files.map(({ task }) => task))].toSorted((a, b) => a - b)
  const streams = tasks.map((task) => {
    const own = files.filter((file) => file.task === task)
    return linesOfTask(own.toSorted(inOrder), task, from, to)
  })
  yield* merged(streams)
}

const inOrder = (a: LogFile, b: LogFile) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.part - b.part)

/** Of times that no calendar has, the nearest that it has. */
const dayAt = (time: number) => dayOf(Math.min(Math.max(time, 0), 253_402_300_799_999))

const logFiles = (folder: string): LogFile[] =>
  logNames(folder).flatMap((name) => {
    const [, day, task, part] = logNameShape.exec(name) ?? []
    return day === undefined ? [] : [{ path: join(folder, name), day, task: Number(task), part: Number(part) }]
  })

async function* linesOfTask(files: readonly LogFile[], task: number, from: number, to: number) {
  for (const [at, { path, day }] of files.entries()) {
    const next = files[at + 1]
    // All of a part is before the first line of the next one.
    if (next?.day === day && (await firstTime(next.path)) < from) continue
    for await (const line of linesOf(path, task)) {
      if (line.time >= to) return
      if (line.time >= from) yield line
    }
  }
}

async function firstTime(path: string): Promise<number> {
  for await (const { time } of linesOf(path, 0)) return time
  return Infinity
}

/** Of a file that is still written to: as far as it has come. What is no line of ours is left out. */
async function* linesOf(path: string, task: number): AsyncGenerator<LogLine> {
  let rest = ''
  const file = openLogFile(path)
  if (file === null) return
  const chunks = createReadStream(path, { fd: file, encoding: 'utf8' }) as AsyncIterable<string>
  for await (const chunk of chunks) {
    const pieces = (rest + chunk).split('\n')
    rest = pieces.pop() ?? ''
    if (rest.length > maxLine) rest = rest.slice(0, maxLine)
    for (const piece of pieces) {
      const line = parsed(piece, task)
      if (line) yield line
    }
  }
}

/**
 * Null: its day was over in between, or it is no file of its own. The folder may belong to the service, which is not trusted: nothing
 * is followed, and nothing waits for somebody who writes into a pipe.
 */
function openLogFile(path: string): number | null {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const found = fstatSync(file)
    if (found.isFile() && found.nlink === 1) return file
    closeSync(file)
    return null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(code)) return null
    throw error
  }
}

const lineShape = /^(\d{1,15})\t(info|warn|error)\t(.*)$/

function parsed(piece: string, task: number): LogLine | null {
  const [, time, level, text] = lineShape.exec(piece) ?? []
  return time === undefined || text === undefined
    ? null
    : { time: Number(time), task, level: level as LogLine['level'], text }
}

/** The earliest of the heads first; of the same time, the lower task. */
async function* merged(streams: readonly AsyncGenerator<LogLine>[]): AsyncGenerator<LogLine> {
  const heads = await Promise.all(streams.map((stream) => stream.next()))
  try {
    for (;;) {
      let first = -1
      for (const [at, head] of heads.entries()) {
        const before = heads[first]
        if (!head.done && (before === undefined || before.done || head.value.time < before.value.time)) first = at
      }
      const [head, stream] = [heads[first], streams[first]]
      if (!head || head.done || !stream) return
      yield head.value
      heads[first] = await stream.next()
    }
  } finally {
    await Promise.all(streams.map((stream) => stream.return(undefined)))
  }
}

/** Takes away what is older than 180 days, and the oldest of what is more than 500 MB. */
export function removeOldLogs(folders: readonly string[], now: number, limitBytes = maxBytes): void {
  const oldest = dayOf(now - keptDays * dayMs)
  let bytes = 0
  for (const file of folders.flatMap(logFiles).toSorted(inOrder).toReversed()) {
    bytes += lstatSync(file.path, { throwIfNoEntry: false })?.size ?? 0
    if (file.day < oldest || bytes > limitBytes) removeFile(file.path)
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone already, or a folder of that name, which is none of ours.
  }
}
