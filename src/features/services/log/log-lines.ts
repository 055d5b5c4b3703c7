/** What the log viewer holds: lines in the order in which they came, the newest last, and no more of them than a page can draw. */
import type { LogAnswer, LogLine } from '#features/services/slice.ts'

export const maxLines = 3_000

/** `number`: rises by one with each line, so that a line is the same whatever went before it. */
export interface ShownLine extends LogLine {
  number: number
}

export interface Lines {
  lines: readonly ShownLine[]
  /** Where it goes on. */
  next: string
  /** Earlier lines of the span were not sent. */
  more: boolean
  /** Earlier lines were taken from the page. */
  cut: boolean
}

export const firstLines = ({ lines, next, more }: LogAnswer): Lines => ({
  lines: lines.map((line, number) => ({ ...line, number })),
  next,
  more,
  cut: false,
})

/** The same object where nothing came. */
export function withMore(before: Lines, { lines, next }: LogAnswer): Lines {
  if (lines.length === 0) return next === before.next ? before : { ...before, next }
  const from = (before.lines.at(-1)?.number ?? -1) + 1
  const all = [...before.lines, ...lines.map((line, at) => ({ ...line, number: from + at }))]
  return { ...before, lines: all.slice(-maxLines), next, cut: before.cut || all.length > maxLines }
}
