/**
 * Limits what is stored of a service's log per day. Anybody can cause lines of the levels `info` and `warn` by requests and refused logins,
 * so they leave space for errors, and these leave space for entries of the portal.
 */
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import {
  formatDay,
  formatLogLimit,
  type LogPriority,
  logDayBytes,
  priorityShares,
} from '#server/drivers/hosting/log-text.ts'

export interface DayUsage {
  /** UTC day, like `2026-11-29`. */
  day: string
  /** Bytes of the stored lines. */
  bytes: number
  /** Number of lines that were not stored. */
  droppedCount: number
  /** Priorities whose limit was reached. A line says so once per day. */
  notified: readonly LogPriority[]
}

export const emptyUsage: DayUsage = { day: '', bytes: 0, droppedCount: 0, notified: [] }

/** `lifecycle` is the priority of the portal's entries. */
type LineKind = InstanceLogLine['level'] | 'lifecycle'

const kindPriorities: Record<LineKind, LogPriority> = {
  info: 'request',
  warn: 'refusal',
  error: 'normal',
  lifecycle: 'lifecycle',
}
const priorityNames: Partial<Record<LogPriority, string>> = { request: 'information lines', refusal: 'warnings' }

export interface DayLimit {
  hasSpace(kind: LineKind, bytes: number, now: number): boolean
  /** Counts a line as stored or dropped. `notices` are entries of the portal that are stored before it. */
  accept(kind: LineKind, bytes: number, now: number): { isAccepted: boolean; notices: readonly string[] }
  getUsage(): DayUsage
}

export function openDayLimit(start: DayUsage, dayBytes = logDayBytes.tasks): DayLimit {
  let usage = start

  // If the clock is set back, the later day continues.
  const isNewDay = (now: number) => formatDay(now) > usage.day

  function beginDay(now: number): string[] {
    if (!isNewDay(now)) return []
    const { day: previousDay, droppedCount } = usage
    usage = { ...emptyUsage, day: formatDay(now) }
    return droppedCount > 0 ? [`number of lines not recorded on ${previousDay}: ${droppedCount}`] : []
  }

  const hasSpace = (priority: LogPriority, bytes: number) => usage.bytes + bytes <= dayBytes * priorityShares[priority]

  return {
    hasSpace: (kind, bytes, now) => isNewDay(now) || hasSpace(kindPriorities[kind], bytes),
    accept(kind, bytes, now) {
      const notices = beginDay(now)
      const priority = kindPriorities[kind]
      const isAccepted = hasSpace(priority, bytes)
      if (isAccepted) usage = { ...usage, bytes: usage.bytes + bytes }
      else {
        const isNotified = usage.notified.includes(priority)
        if (!isNotified) notices.push(formatLimitNotice(priority, dayBytes))
        const notified = isNotified ? usage.notified : [...usage.notified, priority]
        usage = { ...usage, droppedCount: usage.droppedCount + 1, notified }
      }
      return { isAccepted, notices }
    },
    getUsage: () => usage,
  }
}

function formatLimitNotice(priority: LogPriority, dayBytes: number): string {
  const size = formatLogLimit(priority, dayBytes)
  const name = priorityNames[priority]
  return name
    ? `${name} have used their ${size} of today's log: further ones are not recorded until 00:00 UTC`
    : `today's log is full (${size}): further lines are not recorded until 00:00 UTC`
}
