/** What the log viewer holds: lines in the order in which they came, the newest last, and no more of them than a page can draw. */
import type { LogResponse, ServiceLogLine } from '#features/services/slice.ts'

export const maxLines = 3_000

/** `number`: rises by one with each line, so that a line is the same whatever went before it. */
export interface NumberedLogLine extends ServiceLogLine {
  number: number
}

export interface LogLinesState {
  lines: readonly NumberedLogLine[]
  /** Where it goes on. */
  next: string
  /** Earlier lines of the span were not sent. */
  hasMore: boolean
  /** Earlier lines were taken from the page. */
  isTruncated: boolean
}

export const createLines = ({ lines, next, more }: LogResponse): LogLinesState => ({
  lines: lines.map((line, number) => ({ ...line, number })),
  next,
  hasMore: more,
  isTruncated: false,
})

/** The same object where nothing came. */
export function appendLines(current: LogLinesState, { lines, next }: LogResponse): LogLinesState {
  if (lines.length === 0) return next === current.next ? current : { ...current, next }
  const firstNumber = (current.lines.at(-1)?.number ?? -1) + 1
  const allLines = [...current.lines, ...lines.map((line, index) => ({ ...line, number: firstNumber + index }))]
  return {
    ...current,
    lines: allLines.slice(-maxLines),
    next,
    isTruncated: current.isTruncated || allLines.length > maxLines,
  }
}
