/** What a figure is: a promise about speed or size as a ratio within one run, so that it can be checked on any machine. */

export interface Figure {
  id: string
  what: string
  /** Null: it could not be measured here; `note` says why. */
  value: number | null
  /** x: a ratio; n: a number of things. */
  unit: 'x' | 'ms' | 'n'
  /** Whether more or less is better. */
  better: 'more' | 'less'
  /** Holds at every release, with a third of room for a noisy machine. */
  limit: number
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

export type Verdict = 'holds' | 'FAILED' | 'skipped'

export function judge({ value, better, limit }: Figure): Verdict {
  if (value === null) return 'skipped'
  return (better === 'less' ? value <= limit : value >= limit) ? 'holds' : 'FAILED'
}

export function asTable(figures: readonly Figure[]): string {
  const sign = (better: Figure['better']) => (better === 'less' ? '<=' : '>=')
  const digits = { x: 2, ms: 1, n: 0 } as const
  const rows = figures.map((figure) => [
    figure.id,
    figure.what,
    figure.value === null ? '-' : `${figure.value.toFixed(digits[figure.unit])} ${figure.unit}`,
    `${sign(figure.better)} ${figure.limit}`,
    judge(figure),
    figure.note ?? '',
  ])
  const all = [['id', 'figure', 'measured', 'limit', '', ''], ...rows]
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
