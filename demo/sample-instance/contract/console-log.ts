/** Writes the log of an instance as lines on standard output and standard error. Each line begins with its level. */
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { toLogText } from '#server/drivers/hosting/log-text.ts'

const repeatMs = 5000

/** Consecutive entries with the same `repeatKey` are counted, because strangers can cause any number of them. */
export function openConsoleLog(): LogWriter {
  let repeatedLine: { key: string; level: string; count: number } | null = null
  let timer: NodeJS.Timeout | undefined
  // If nobody reads the log any longer, the instance continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

  const writeLine = (level: string, text: string): void =>
    void (level === 'error' ? process.stderr : process.stdout).write(`${level} ${toLogText(text)}\n`)

  function writeRepeats(): void {
    clearTimeout(timer)
    timer = undefined
    if (!repeatedLine || repeatedLine.count === 0) return
    const { level, count } = repeatedLine
    repeatedLine.count = 0
    writeLine(level, `last line repeated ${count} ${count === 1 ? 'time' : 'times'}`)
  }

  return {
    write(level, text, { repeatKey = text } = {}) {
      const key = `${level} ${repeatKey}`
      if (repeatedLine?.key === key) {
        repeatedLine.count += 1
        timer ??= setTimeout(writeRepeats, repeatMs).unref()
        return
      }
      writeRepeats()
      repeatedLine = { key, level, count: 0 }
      writeLine(level, text)
    },
    close() {
      writeRepeats()
      repeatedLine = null
    },
  }
}
