/** Rows per page, as last chosen in this browser for any list. Not stored if storage is forbidden. */
import { pageSizes } from '#state/list-url.ts'

const storageKey = 'portal.rows'

/** Returns null for the default. */
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
    // Without storage the page size is not kept.
  }
}
