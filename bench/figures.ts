/** A figure is a measured speed or size with a limit. Most figures are ratios within one run, so that any computer can check them. */

export interface BenchFigure {
  id: string
  title: string
  /** Null if it could not be measured on this computer. `note` gives the reason. */
  value: number | null
  /** `x`: a ratio. `n`: a number of things. */
  unit: 'x' | 'ms' | 'n'
  better: 'more' | 'less'
  /** Limit of `value`, checked at every release. It includes a tolerance of a third, because the computer may be busy. */
  limit: number
  note?: string
}

export interface Bench {
  /** Ids of the figures that this bench measures, to select them on the command line. */
  ids: readonly string[]
  measure: (report: (line: string) => void) => Promise<BenchFigure[]>
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** Returns the median of the ratios of pairs measured together, so that drift affects both values. */
export const ratio = (portalValues: readonly number[], baselineValues: readonly number[]): number =>
  median(portalValues.map((value, index) => value / (baselineValues[index] ?? Number.NaN)))

export type FigureVerdict = 'holds' | 'FAILED' | 'skipped'

export function judgeFigure({ value, better, limit }: BenchFigure): FigureVerdict {
  if (value === null) return 'skipped'
  return (better === 'less' ? value <= limit : value >= limit) ? 'holds' : 'FAILED'
}

const digits = { x: 2, ms: 1, n: 0 } as const

export const formatValue = ({ value, unit }: BenchFigure): string =>
  value === null ? '-' : `${value.toFixed(digits[unit])} ${unit}`

export const getLimitText = ({ better, limit }: BenchFigure): string => `${better === 'less' ? '<=' : '>='} ${limit}`

export function formatTable(figures: readonly BenchFigure[]): string {
  const rows = figures.map((figure) => [
    figure.id,
    figure.title,
    formatValue(figure),
    getLimitText(figure),
    judgeFigure(figure),
    figure.note ?? '',
  ])
  const allRows = [['id', 'figure', 'measured', 'limit', '', ''], ...rows]
  const widths = (allRows[0] ?? []).map((_, column) => Math.max(...allRows.map((row) => row[column]?.length ?? 0)))
  return allRows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
