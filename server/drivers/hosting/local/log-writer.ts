/**
 * The log of an instance: files of lines `time<tab>level<tab>text`, by UTC day, task and part (`2026-11-26.1.0.log`). Each file has
 * one writer, so its lines are in the order of their time; a new part begins after 8 MB. Strangers decide how many lines there are
 * and how long: lines are cut, repeated ones are counted, and a day has a limit, which all tasks of the service share.
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
import type { LogLine } from '#server/drivers/hosting/driver.ts'

export const logNameShape = /^(\d{4}-\d\d-\d\d)\.(\d)\.(\d{1,6})\.log$/
const maxPartBytes = 8_000_000
const maxText = 2000
const repeatMs = 5000
/** Part of the day's limit that this process writes before the other tasks' files are measured again. */
const measuredShare = 0.01

/** Of a day, in bytes: all tasks of a service together, and its host. */
export const logDayBytes = { tasks: 8_000_000, host: 1_000_000 }

/**
 * How much of the day's limit a line may use: requests, which anybody can send, leave space for refused logins, which anybody can try;
 * those leave space for logins and errors, and these for what the host does with the service.
 */
const shares = { request: 0.75, refusal: 0.875, normal: 1, lifecycle: 1.25 }
export type LogPriority = keyof typeof shares

export interface LogWriter {
  /**
   * Does not throw: what cannot be logged must not keep a service from being served. `repeatKey`: lines of the same key that follow
   * each other are counted and not written; the text, where none is given.
   */
  write(level: LogLine['level'], text: string, options?: { priority?: LogPriority; repeatKey?: string }): void
  close(): void
}

export interface LogWriterOptions {
  /** Epoch ms. */
  clock?: () => number
  /** After so many a new part begins. */
  partBytes?: number
  dayBytes?: number
  /** False: no file stays open between two lines. */
  keepsOpen?: boolean
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Says how much is missing. */
export function cutText(text: string, maxLength: number): string {
  const missing = text.length - maxLength
  return missing > 0 ? `${text.slice(0, maxLength)}… [${missing} more characters]` : text
}

/** One line without control characters. */
const asLogText = (text: string): string =>
  cutText(text, maxText)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')

export function openLogWriter(
  folder: string,
  task: number,
  { clock = Date.now, partBytes = maxPartBytes, dayBytes = logDayBytes.tasks, keepsOpen = true }: LogWriterOptions = {},
): LogWriter {
  let current: { file: number; day: string; part: number; bytes: number } | null = null
  let last = 0
  let usage = { day: '', measured: 0, written: 0, dropped: 0, notices: new Set<LogPriority>() }
  let repeated: { key: string; level: LogLine['level']; priority: LogPriority; count: number } | null = null
  let timer: NodeJS.Timeout | undefined

  function closeFile(): void {
    if (current) closeSync(current.file)
    current = null
  }

  function fileFor(day: string) {
    if (current?.day === day && current.bytes < partBytes) return current
    const before = current?.day === day ? current.part + 1 : lastPart(folder, day, task)
    closeFile()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let part = before; ; part++) {
      const file = openSync(join(folder, `${day}.${task}.${part}.log`), appendFlags, 0o600)
      const bytes = fstatSync(file).size
      if (bytes >= partBytes) {
        closeSync(file)
        continue
      }
      current = { file, day, part, bytes }
      // A line that was cut off by the end of its writer is ended, so that it does not swallow the next one.
      if (bytes > 0 && lastByte(file, bytes) !== 0x0a) current.bytes += writeSync(file, '\n')
      return current
    }
  }

  function append(level: LogLine['level'], text: string, priority: LogPriority): void {
    try {
      // A clock that is set back does not bring lines out of order.
      last = Math.max(last, clock())
      const day = dayOf(last)
      if (usage.day !== day) beginDay(day)
      const line = `${last}\t${level}\t${asLogText(text)}\n`
      if (hasSpace(Buffer.byteLength(line), priority)) return put(day, line)
      usage.dropped += 1
      if (usage.notices.has(priority)) return
      usage.notices.add(priority)
      const notice = `${last}\twarn\t${noticeOf(priority, dayBytes)}\n`
      if (hasSpace(notice.length, 'lifecycle')) put(day, notice)
    } catch {
      closeFile()
    } finally {
      if (!keepsOpen) closeFile()
    }
  }

  function put(day: string, line: string): void {
    const place = fileFor(day)
    const bytes = writeSync(place.file, line)
    place.bytes += bytes
    usage.written += bytes
  }

  function beginDay(day: string): void {
    const { day: before, dropped } = usage
    usage = { day, measured: dayUsage(folder, day), written: 0, dropped: 0, notices: new Set() }
    const isFull = usage.measured > dayBytes
    if (dropped > 0 && !isFull) put(day, `${last}\twarn\tlines of ${before} that were not recorded: ${dropped}\n`)
  }

  function hasSpace(bytes: number, priority: LogPriority): boolean {
    if (usage.written > dayBytes * measuredShare) {
      usage.measured = dayUsage(folder, usage.day)
      usage.written = 0
    }
    return usage.measured + usage.written + bytes <= dayBytes * shares[priority]
  }

  function writeRepeats(): void {
    clearTimeout(timer)
    timer = undefined
    if (!repeated || repeated.count === 0) return
    const { level, count, priority } = repeated
    repeated.count = 0
    append(level, `last line repeated ${count} ${count === 1 ? 'time' : 'times'}`, priority)
  }

  return {
    write(level, text, { priority = 'normal', repeatKey = text } = {}) {
      const key = `${level} ${repeatKey}`
      if (repeated?.key === key) {
        repeated.count += 1
        timer ??= setTimeout(writeRepeats, repeatMs).unref()
        return
      }
      writeRepeats()
      repeated = { key, level, priority, count: 0 }
      append(level, text, priority)
    },
    close() {
      writeRepeats()
      repeated = null
      closeFile()
    },
  }
}

/** Nothing is followed: the folder may belong to the service, which is not trusted. */
const appendFlags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)

const noticeOf = (priority: LogPriority, dayBytes: number): string => {
  const size = `${Number(((dayBytes * shares[priority]) / 1_000_000).toPrecision(3))} MB`
  const kinds: Partial<Record<LogPriority, string>> = { request: 'requests', refusal: 'refused logins' }
  const kind = kinds[priority]
  return kind
    ? `${kind} use up ${size} of the log of this day: further ${kind} are not recorded until 00:00 UTC`
    : `the log of this day is full (${size}): further lines are not recorded until 00:00 UTC`
}

/** Bytes of all files of the day. */
function dayUsage(folder: string, day: string): number {
  let bytes = 0
  for (const name of logNames(folder))
    if (name.startsWith(`${day}.`)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

function lastPart(folder: string, day: string, task: number): number {
  const parts = logNames(folder).flatMap((name) => {
    const [, ofDay, ofTask, part] = logNameShape.exec(name) ?? []
    return ofDay === day && Number(ofTask) === task ? [Number(part)] : []
  })
  return Math.max(0, ...parts)
}

/** Empty where there is no such folder. */
export function logNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => logNameShape.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function lastByte(file: number, size: number): number {
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, size - 1)
  return byte[0] ?? 0
}
