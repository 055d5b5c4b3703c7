import { writeFileSync } from 'node:fs'
import type { NightlyFigure } from '#tests/campaigns/nightly/record.ts'

/** Passes figures to the nightly run, which names a file for them. Does nothing in a run by hand. */
export function reportFigures(figures: readonly NightlyFigure[]): void {
  const { FIGURES_REPORT: path } = process.env
  if (path) writeFileSync(path, JSON.stringify(figures))
}
