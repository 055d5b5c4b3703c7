/**
 * Position in the log of a task. The platform returns the lines of a task in the order in which they were written, and can begin at a time.
 * Times may run slightly backwards, because both streams of a task are copied independently. So reading begins a second before the latest
 * time, and all lines up to the last processed one are skipped.
 */
import type { TaskLine } from '#server/drivers/hosting/docker/logs/task-lines.ts'

export interface TaskPosition {
  /** Latest time of the processed lines, with nanoseconds. */
  latest: string
  /** Fingerprint of the last processed line. */
  fingerprint: string
  /** Which one it is of the lines with the same fingerprint, from 1. */
  nth: number
  /** The task has ended, and all its lines are processed. */
  isComplete: boolean
}

/** Position before the first line. */
export const emptyPosition: TaskPosition = { latest: '', fingerprint: '', nth: 0, isComplete: false }

const overlapSeconds = 1

/** Converts to epoch ms. */
export const toMilliseconds = (timestamp: string): number => Date.parse(`${timestamp.slice(0, 23)}Z`)

/**
 * Returns the time from which the log must be read, for `since`: seconds, with the nanoseconds after a point. Null for the complete log.
 */
export function getSince({ latest, fingerprint }: TaskPosition): string | null {
  if (latest === '') return null
  // If the clock of the machine was set back, the last processed line is older than the latest time.
  const lastTimestamp = fingerprint.slice(0, latest.length)
  return toSince(lastTimestamp < latest ? lastTimestamp : latest)
}

function toSince(timestamp: string): string {
  const seconds = Math.floor(toMilliseconds(timestamp) / 1000) - overlapSeconds
  return `${Math.max(0, seconds)}.${timestamp.slice(20, 29)}`
}

export interface LineTracker {
  /** Returns the time of the line in epoch ms, never before the previous line's; null if the line was processed already. */
  accept(line: TaskLine): number | null
  getPosition(): TaskPosition
}

export function trackLines(start: TaskPosition): LineTracker {
  let position = start
  let isSkipping = start.latest !== ''
  let time = isSkipping ? toMilliseconds(start.latest) : 0
  /** Number of lines with each fingerprint of the current time. */
  let counts = new Map<string, number>()
  let countedTimestamp = ''

  function count({ timestamp, fingerprint }: TaskLine): number {
    if (timestamp !== countedTimestamp) counts = new Map()
    countedTimestamp = timestamp
    const nth = (counts.get(fingerprint) ?? 0) + 1
    counts.set(fingerprint, nth)
    return nth
  }

  return {
    accept(line) {
      const nth = count(line)
      if (isSkipping) {
        if (line.fingerprint === start.fingerprint && nth === start.nth) {
          isSkipping = false
          return null
        }
        // A later line shows that the last processed one is no longer stored by the platform.
        if (line.timestamp <= start.latest) return null
        isSkipping = false
      }
      const latest = position.latest > line.timestamp ? position.latest : line.timestamp
      position = { latest, fingerprint: line.fingerprint, nth, isComplete: false }
      time = Math.max(time, toMilliseconds(line.timestamp))
      return time
    },
    getPosition: () => position,
  }
}
