/** The number of rows that a card of the home page had last time, so that its placeholder is as high as its content will be. */
import { useEffect } from 'react'

const defaultRows = 5

/** Height in px of a row of two lines with its border, and of a line of the skeleton with its gap. */
const [rowHeight, lineHeight] = [55, 24]

const toStorageKey = (card: string) => `portal.rows.${card}`

function readExpectedRows(card: string): number {
  try {
    const text = localStorage.getItem(toStorageKey(card)) ?? ''
    return /^\d{1,2}$/.test(text) ? Number(text) : defaultRows
  } catch {
    return defaultRows
  }
}

/** Remembers the number of rows (null while it is not known), and returns the lines of the skeleton for the number of last time. */
export function useSkeletonLines(card: string, rowCount: number | null): number {
  useEffect(() => {
    if (rowCount === null) return
    try {
      localStorage.setItem(toStorageKey(card), String(Math.min(rowCount, 99)))
    } catch {
      // The browser has no storage.
    }
  }, [card, rowCount])
  return rowCount === null ? Math.max(1, Math.round((readExpectedRows(card) * rowHeight) / lineHeight)) : 0
}
