/** Manages the lines of the log viewer, the newest last. Their number is limited to what a page can render. */
import type { OutputOf } from '#contract/endpoint.ts'
import type { readServiceLog } from '#contract/services.ts'

export type LogResponse = OutputOf<typeof readServiceLog>
type ServiceLogLine = LogResponse['lines'][number]

export const maxLines = 3_000

/** `number` increases by one with each row of the log. It identifies the row even after earlier rows are removed. */
export interface NumberedLogLine extends ServiceLogLine {
  number: number
}

export interface LogLinesState {
  lines: readonly NumberedLogLine[]
  next: string
  /** Whether the server left out earlier lines of the range. */
  hasMore: boolean
  /** Whether the page has removed earlier lines. */
  isTruncated: boolean
}

export const createLines = ({ lines, next, more }: LogResponse): LogLinesState => ({
  lines: lines.map((line, number) => ({ ...line, number })),
  next,
  hasMore: more,
  isTruncated: false,
})

/** Appends new lines. Returns the same object if there is no new line and the position in the log is unchanged. */
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
