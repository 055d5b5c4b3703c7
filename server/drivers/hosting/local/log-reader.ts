/** Reads the log of an instance as a stream, in the order of time: the files of its tasks are merged, none is held whole. */
import { createReadStream, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '#server/drivers/hosting/driver.ts'
import { dayOf, logNameShape } from '#server/drivers/hosting/local/log-writer.ts'

const keptDays = 180
const dayMs = 86_400_000
/** Longer than any line of ours: such a piece is none. */
const maxLine = 20_000

interface LogFile {
  name: string
  day: string
  task: number
  part: number
}

/** Lines from `from` on, before `to` (epoch ms). */
export async function* readLogFiles(
  folder: string,
  { from, to }: { from: number; to: number },
): AsyncGenerator<LogLine> {
  if (!(to > from)) return
  const [first, last] = [dayAt(from), dayAt(to)]
  const files = logFiles(folder).filter(({ day }) => day >= first && day <= last)
  const tasks = [...new Set(files.map(({ task }) => task))].toSorted((a, b) => a - b)
  const streams = tasks.map((task) => {
    const own = files.filter((file) => file.task === task)
    return linesOfTask(folder, own.toSorted(inOrder), task, from, to)
  })
  yield* merged(streams)
}

const inOrder = (a: LogFile, b: LogFile) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.part - b.part)

/** Of times that no calendar has, the nearest that it has. */
const dayAt = (time: number) => dayOf(Math.min(Math.max(time, 0), 253_402_300_799_999))

function logFiles(folder: string): LogFile[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names.flatMap((name) => {
    const [, day, task, part] = logNameShape.exec(name) ?? []
    return day === undefined ? [] : [{ name, day, task: Number(task), part: Number(part) }]
  })
}

async function* linesOfTask(folder: string, files: readonly LogFile[], task: number, from: number, to: number) {
  for (const [at, { name, day }] of files.entries()) {
    const next = files[at + 1]
    // All of a part is before the first line of the next one.
    if (next?.day === day && (await firstTime(join(folder, next.name))) < from) continue
    for await (const line of linesOf(join(folder, name), task)) {
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
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
      const pieces = (rest + chunk).split('\n')
      rest = pieces.pop() ?? ''
      if (rest.length > maxLine) rest = rest.slice(0, maxLine)
      for (const piece of pieces) {
        const line = parsed(piece, task)
        if (line) yield line
      }
    }
  } catch (error) {
    // Its day was over in between.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
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

/** Takes away what is older than 180 days. */
export function removeOldLogs(folder: string, now: number): void {
  const oldest = dayOf(now - keptDays * dayMs)
  for (const { name, day } of logFiles(folder)) if (day < oldest) rmSync(join(folder, name), { force: true })
}
