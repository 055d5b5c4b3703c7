/** Counts log entries that are repeated, because strangers can cause any number of them. */
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import type { LogPriority } from '#server/drivers/hosting/log-text.ts'

const repeatMs = 5000

export interface LogEntry {
  level: InstanceLogLine['level']
  text: string
  priority: LogPriority
}

/**
 * Passes each entry to `append`, except those whose level and `repeatKey` are those of the entry before. Their number is appended before the
 * next other entry, and after five seconds.
 */
export function createRepeatedLines(append: (entry: LogEntry) => void) {
  let previousEntry: (Omit<LogEntry, 'text'> & { key: string; count: number }) | null = null
  let timer: NodeJS.Timeout | undefined

  function appendCount(): void {
    clearTimeout(timer)
    timer = undefined
    if (!previousEntry || previousEntry.count === 0) return
    const { level, count, priority } = previousEntry
    previousEntry.count = 0
    append({ level, text: `last line repeated ${count} ${count === 1 ? 'time' : 'times'}`, priority })
  }

  return {
    add(entry: LogEntry, repeatKey: string): void {
      const key = `${entry.level} ${repeatKey}`
      if (previousEntry?.key === key) {
        previousEntry.count += 1
        timer ??= setTimeout(appendCount, repeatMs).unref()
        return
      }
      appendCount()
      previousEntry = { key, level: entry.level, priority: entry.priority, count: 0 }
      append(entry)
    },
    /** Appends the number of an entry that is still counted. */
    end(): void {
      appendCount()
      previousEntry = null
    },
  }
}
