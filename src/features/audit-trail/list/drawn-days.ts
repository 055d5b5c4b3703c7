/**
 * The days that the chart drew before one of them was chosen, kept for this tab: after a reload it asks the same again, which
 * without a network is the question that the device has an answer to.
 */
import { type Range, readRange } from '#features/audit-trail/list/list-url.ts'

const name = 'portal.trailDays'

/** Storage may be forbidden: then a reload draws the neighbours of the day. */
export function keepDrawn({ dateFrom, dateTo }: Range): void {
  try {
    sessionStorage.setItem(name, JSON.stringify([dateFrom, dateTo]))
  } catch {
    // There is nowhere else to keep it.
  }
}

/** Null: none is kept. */
export function readDrawn(): Range | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? 'null')
    return Array.isArray(kept) ? readRange(textOf(kept[0]), textOf(kept[1])) : null
  } catch {
    return null
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
