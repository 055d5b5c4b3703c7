/**
 * Writes lines `time<tab>level<tab>text` to files by UTC day, task and part (`2026-11-26.1.0.log`). Each file has one writer, so its lines
 * are ordered by time. A new part begins after 8 MB. Strangers can cause any number of long lines. So lines are cut, repeated lines are
 * counted, and all tasks of a service share a daily limit.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import {
  formatDay,
  formatLogLimit,
  type LogPriority,
  logDayBytes,
  priorityShares,
  toLogText,
} from '#server/drivers/hosting/log-text.ts'
import { createRepeatedLines, type LogEntry } from '#server/drivers/hosting/repeated-lines.ts'

export const logNamePattern = /^(\d{4}-\d\d-\d\d)\.(\d)\.(\d{1,6})\.log$/
const maxPartBytes = 8_000_000
/** Share of the daily limit that this process may write before it measures the files of all tasks again. */
const measuredShare = 0.01

export interface LogWriter {
  /**
   * Never throws, because logging must not stop a service. Consecutive entries with the same `repeatKey` (by default the text) are counted.
   */
  write(level: InstanceLogLine['level'], text: string, options?: { priority?: LogPriority; repeatKey?: string }): void
  close(): void
}

export interface LogWriterOptions {
  /** Epoch ms. */
  clock?: () => number
  partBytes?: number
  dayBytes?: number
  /** If false, the file is closed after each line. */
  keepFileOpen?: boolean
}

const createUsage = (day: string, measuredBytes: number) => ({
  day,
  measuredBytes,
  writtenBytes: 0,
  droppedCount: 0,
  notifiedPriorities: new Set<LogPriority>(),
})

interface OpenLogFile {
  file: number
  day: string
  part: number
  bytes: number
}

/** Opens the first part from `firstPart` that is not full. `path` lacks the part number and the extension. */
function openPart(path: string, day: string, firstPart: number, partBytes: number): OpenLogFile {
  for (let part = firstPart; ; part++) {
    const file = openSync(`${path}.${part}.log`, appendFlags, 0o600)
    const bytes = fstatSync(file).size
    if (bytes >= partBytes) {
      closeSync(file)
      continue
    }
    // If the previous writer ended in the middle of an entry, a line break is added, so that the next entry is readable.
    const isCutOff = bytes > 0 && readLastByte(file, bytes) !== 0x0a
    return { file, day, part, bytes: bytes + (isCutOff ? writeSync(file, '\n') : 0) }
  }
}

export function openLogWriter(
  folder: string,
  task: number,
  {
    clock = Date.now,
    partBytes = maxPartBytes,
    dayBytes = logDayBytes.tasks,
    keepFileOpen = true,
  }: LogWriterOptions = {},
): LogWriter {
  let openFile: OpenLogFile | null = null
  let lastTime = 0
  let usage = createUsage('', 0)
  const lines = createRepeatedLines(append)

  function closeFile(): void {
    if (openFile) closeSync(openFile.file)
    openFile = null
  }

  function openFileForDay(day: string) {
    if (openFile?.day === day && openFile.bytes < partBytes) return openFile
    const firstPart = openFile?.day === day ? openFile.part + 1 : findLastPart(folder, day, task)
    closeFile()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    openFile = openPart(join(folder, `${day}.${task}`), day, firstPart, partBytes)
    return openFile
  }

  function append({ level, text, priority }: LogEntry): void {
    try {
      // If the clock is set back, the last time is used again, so that lines stay in order.
      lastTime = Math.max(lastTime, clock())
      const day = formatDay(lastTime)
      if (usage.day !== day) beginDay(day)
      const line = `${lastTime}\t${level}\t${toLogText(text)}\n`
      if (hasSpace(Buffer.byteLength(line), priority)) return writeLine(day, line)
      usage.droppedCount += 1
      if (usage.notifiedPriorities.has(priority)) return
      usage.notifiedPriorities.add(priority)
      const notice = `${lastTime}\twarn\t${formatNotice(priority, dayBytes)}\n`
      if (hasSpace(notice.length, 'lifecycle')) writeLine(day, notice)
    } catch {
      closeFile()
    } finally {
      if (!keepFileOpen) closeFile()
    }
  }

  function writeLine(day: string, line: string): void {
    const logFile = openFileForDay(day)
    const bytes = writeSync(logFile.file, line)
    logFile.bytes += bytes
    usage.writtenBytes += bytes
  }

  function beginDay(day: string): void {
    const { day: previousDay, droppedCount } = usage
    usage = createUsage(day, measureDay(folder, day))
    const isFull = usage.measuredBytes > dayBytes
    if (droppedCount > 0 && !isFull)
      writeLine(day, `${lastTime}\twarn\tnumber of lines not recorded on ${previousDay}: ${droppedCount}\n`)
  }

  function hasSpace(bytes: number, priority: LogPriority): boolean {
    if (usage.writtenBytes > dayBytes * measuredShare) {
      usage.measuredBytes = measureDay(folder, usage.day)
      usage.writtenBytes = 0
    }
    return usage.measuredBytes + usage.writtenBytes + bytes <= dayBytes * priorityShares[priority]
  }

  return {
    write: (level, text, { priority = 'normal', repeatKey = text } = {}) =>
      lines.add({ level, text, priority }, repeatKey),
    close() {
      lines.end()
      closeFile()
    },
  }
}

/** Flags to open a file without following links, because the folder may belong to an untrusted service. */
const appendFlags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

const formatNotice = (priority: LogPriority, dayBytes: number): string => {
  const size = formatLogLimit(priority, dayBytes)
  const kinds: Partial<Record<LogPriority, string>> = { request: 'requests', refusal: 'refused logins' }
  const kind = kinds[priority]
  return kind
    ? `${kind} have used their ${size} of today's log: further ${kind} are not recorded until 00:00 UTC`
    : `today's log is full (${size}): further lines are not recorded until 00:00 UTC`
}

function measureDay(folder: string, day: string): number {
  let bytes = 0
  for (const name of listLogNames(folder))
    if (name.startsWith(`${day}.`)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

function findLastPart(folder: string, day: string, task: number): number {
  const parts = listLogNames(folder).flatMap((name) => {
    const [, fileDay, fileTask, part] = logNamePattern.exec(name) ?? []
    return fileDay === day && Number(fileTask) === task ? [Number(part)] : []
  })
  return Math.max(0, ...parts)
}

export function listLogNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => logNamePattern.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readLastByte(file: number, size: number): number {
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, size - 1)
  return byte[0] ?? 0
}
