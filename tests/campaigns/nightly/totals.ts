/**
 * Totals that grow with each nightly run, such as the number of kills. A step reports its own numbers, and they count only if it passes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export type Totals = Readonly<Record<string, number>>

export function addTotals(totals: Totals, added: Totals): Totals {
  const names = [...new Set([...Object.keys(totals), ...Object.keys(added)])].toSorted()
  return Object.fromEntries(names.map((name) => [name, (totals[name] ?? 0) + (added[name] ?? 0)]))
}

const readTotals = (path: string): Totals =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Totals) : {}

/** Adds numbers of a campaign to the file that TOTALS_REPORT names. Does nothing outside the nightly run. */
export function reportTotals(added: Totals): void {
  const { TOTALS_REPORT: path } = process.env
  if (path) writeFileSync(path, JSON.stringify(addTotals(readTotals(path), added)))
}
