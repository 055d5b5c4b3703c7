/** What a figure is: a promise about speed or size as a ratio within one run, so that it can be checked on any machine. */

export interface Figure {
  id: string
  what: string
  /** Null: it could not be measured here; `note` says why. */
  value: number | null
  /** n: a number of things; us: millionths of a second. */
  unit: 'x' | 'kB' | 'ms' | 'us' | 'n'
  /** Whether more or less is better. */
  better: 'more' | 'less'
  /** Holds at every release; null: told for orientation only. */
  hard: number | null
  stretch: number | null
  note?: string
}

export interface Bench {
  /** The figures it measures, for choosing on the command line. */
  ids: readonly string[]
  measure: (tell: (line: string) => void) => Promise<Figure[]>
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Median of the ratios of pairs that were measured side by side: what drifts, drifts for both. */
export const ratio = (ours: readonly number[], floor: readonly number[]): number =>
  median(ours.map((value, at) => value / (floor[at] ?? Number.NaN)))

export type Verdict = 'stretch' | 'hard' | 'FAILED' | 'told' | 'skipped'

export function judge({ value, better, hard, stretch }: Figure): Verdict {
  if (value === null) return 'skipped'
  const reaches = (limit: number) => (better === 'less' ? value <= limit : value >= limit)
  if (hard !== null && !reaches(hard)) return 'FAILED'
  if (stretch !== null && reaches(stretch)) return 'stretch'
  return hard === null ? 'told' : 'hard'
}

export function asTable(figures: readonly Figure[]): string {
  const sign = (better: Figure['better']) => (better === 'less' ? '<=' : '>=')
  const limit = (figure: Figure, value: number | null) => (value === null ? '' : `${sign(figure.better)} ${value}`)
  const digits = { x: 2, kB: 1, ms: 0, us: 1, n: 0 } as const
  const rows = figures.map((figure) => [
    figure.id,
    figure.what,
    figure.value === null ? '-' : `${figure.value.toFixed(digits[figure.unit])} ${figure.unit}`,
    limit(figure, figure.hard),
    limit(figure, figure.stretch),
    judge(figure),
    figure.note ?? '',
  ])
  const all = [['id', 'figure', 'measured', 'hard', 'stretch', '', ''], ...rows]
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
