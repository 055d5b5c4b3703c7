/** How many rows a page has: as whoever uses this browser last chose, on whatever list. Storage may be forbidden: then nothing is kept. */
import { pageSizes } from '#state/list-url.ts'

const name = 'portal.rows'

/** Null: nothing but the default was chosen. */
export function chosenPageSize(): string | null {
  try {
    const chosen = localStorage.getItem(name)
    return pageSizes.slice(1).find((size) => String(size) === chosen) ? chosen : null
  } catch {
    return null
  }
}

export function choosePageSize(size: number): void {
  try {
    localStorage.setItem(name, String(size))
  } catch {
    // There is nowhere to keep it.
  }
}
