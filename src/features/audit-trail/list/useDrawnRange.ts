import { useEffect, useState } from 'react'
import { type TrailRange, readRange, toDrawnRange } from '#features/audit-trail/list/trail-view.ts'

const storageKey = 'portal.trailDays'

/**
 * Returns the days that the chart draws, and `wideRange`, the range before a single day was selected. It is stored in this tab, so that a
 * reload sends the same request. The device has the response to that request, also offline.
 */
export function useDrawnRange(view: TrailRange): { drawnRange: TrailRange; wideRange: TrailRange | null } {
  const [wideRange, setWideRange] = useState(readStoredRange)
  const { dateFrom, dateTo } = view
  const drawnRange = toDrawnRange(view, wideRange)
  const isSingleDay = dateFrom !== null && dateFrom === dateTo
  if (!isSingleDay && (wideRange?.dateFrom !== dateFrom || wideRange.dateTo !== dateTo)) setWideRange(drawnRange)
  useEffect(() => {
    if (wideRange) storeRange(wideRange)
  }, [wideRange])
  return { drawnRange, wideRange }
}

/** If storage is forbidden, a reload draws the days around the selected day. */
function storeRange({ dateFrom, dateTo }: TrailRange): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([dateFrom, dateTo]))
  } catch {
    // Without storage, a reload has no earlier range.
  }
}

function readStoredRange(): TrailRange | null {
  try {
    const storedValue: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return Array.isArray(storedValue) ? readRange(toText(storedValue[0]), toText(storedValue[1])) : null
  } catch {
    return null
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : null)
