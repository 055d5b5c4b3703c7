/**
 * The days that the chart drew before one of them was chosen, kept for this tab: after a reload it asks the same again, which
 * without a network is the question that the device has an answer to.
 */
import { type TrailRange, readRange } from '#features/audit-trail/list/trail-view.ts'

const storageKey = 'portal.trailDays'

/** Storage may be forbidden: then a reload draws the neighbours of the day. */
export function storeDrawnRange({ dateFrom, dateTo }: TrailRange): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([dateFrom, dateTo]))
  } catch {
    // There is nowhere else to keep it.
  }
}

/** Null: none is kept. */
export function readDrawnRange(): TrailRange | null {
  try {
    const storedValue: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return Array.isArray(storedValue) ? readRange(toText(storedValue[0]), toText(storedValue[1])) : null
  } catch {
    return null
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : null)
