/** How many rows a page has: as whoever uses this browser last chose, on whatever list. Storage may be forbidden: then nothing is kept. */
import { pageSizes } from '#state/list-url.ts'

const storageKey = 'portal.rows'

/** Null: nothing but the default was chosen. */
export function readPageSize(): string | null {
  try {
    const storedSize = localStorage.getItem(storageKey)
    return pageSizes.slice(1).find((size) => String(size) === storedSize) ? storedSize : null
  } catch {
    return null
  }
}

export function storePageSize(size: number): void {
  try {
    localStorage.setItem(storageKey, String(size))
  } catch {
    // There is nowhere to keep it.
  }
}
