/**
 * The log of an instance: files of lines `time<tab>level<tab>text`, by UTC day, task and part (`2026-11-26.1.0.log`). Each file has
 * one writer, so its lines are in the order of their time; a new part begins after 8 MB.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '#server/drivers/hosting/driver.ts'

export const logNameShape = /^(\d{4}-\d\d-\d\d)\.(\d)\.(\d{1,6})\.log$/
const maxPartBytes = 8_000_000
const maxText = 4000

export interface LogWriter {
  /** Does not throw: what cannot be logged must not keep a service from being served. */
  write(level: LogLine['level'], text: string): void
  close(): void
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** One line without control characters, cut at 4,000 characters. */
export const asLogText = (text: string): string =>
  text
    .slice(0, maxText)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')

/** `clock`: epoch ms. `partBytes`: after so many a new part begins. */
export function openLogWriter(
  folder: string,
  task: number,
  { clock = Date.now, partBytes = maxPartBytes }: { clock?: () => number; partBytes?: number } = {},
): LogWriter {
  let current: { file: number; day: string; part: number; bytes: number } | null = null
  let last = 0

  function close(): void {
    if (current) closeSync(current.file)
    current = null
  }

  function fileFor(day: string) {
    if (current?.day === day && current.bytes < partBytes) return current
    const before = current?.day === day ? current.part + 1 : lastPart(folder, day, task)
    close()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let part = before; ; part++) {
      const file = openSync(join(folder, `${day}.${task}.${part}.log`), 'a+', 0o600)
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

  return {
    write(level, text) {
      try {
        // A clock that is set back does not bring lines out of order.
        last = Math.max(last, clock())
        const place = fileFor(dayOf(last))
        place.bytes += writeSync(place.file, `${last}\t${level}\t${asLogText(text)}\n`)
      } catch {
        close()
      }
    },
    close,
  }
}

function lastPart(folder: string, day: string, task: number): number {
  try {
    const parts = readdirSync(folder).flatMap((name) => {
      const [, ofDay, ofTask, part] = logNameShape.exec(name) ?? []
      return ofDay === day && Number(ofTask) === task ? [Number(part)] : []
    })
    return Math.max(0, ...parts)
  } catch {
    return 0
  }
}

function lastByte(file: number, size: number): number {
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, size - 1)
  return byte[0] ?? 0
}

/** A line in a file of which no writer is at work: nothing is kept open. */
export function logOnce(folder: string, task: number, level: LogLine['level'], text: string): void {
  const writer = openLogWriter(folder, task)
  writer.write(level, text)
  writer.close()
}
