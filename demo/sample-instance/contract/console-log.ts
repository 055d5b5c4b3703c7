/** Writes the log of an instance as lines on standard output and standard error. Each line begins with its level. */
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { toLogText } from '#server/drivers/hosting/log-text.ts'
import { createRepeatedLines } from '#server/drivers/hosting/repeated-lines.ts'

export function openConsoleLog(): LogWriter {
  // If nobody reads the log any longer, the instance continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const lines = createRepeatedLines(
    ({ level, text }) =>
      void (level === 'error' ? process.stderr : process.stdout).write(`${level} ${toLogText(text)}\n`),
  )
  return {
    write: (level, text, { priority = 'normal', repeatKey = text } = {}) =>
      lines.add({ level, text, priority }, repeatKey),
    close: () => lines.end(),
  }
}
