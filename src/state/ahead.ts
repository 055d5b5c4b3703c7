/**
 * What the first page of a visit shows is read from the device while the page's own code is still being read in: its
 * first drawing then has rows in it, and no skeleton goes before them. Held for a moment only, for that one drawing.
 */
import type { Api } from '#request/result.ts'

/** How a page's list sets off before the page is drawn. */
export interface Ahead {
  /** Reads from the device and holds it; false where there is nothing to show yet. */
  read: (companyId: number, search: URLSearchParams) => Promise<boolean>
  /** Asks the server for the same, in the very words in which the page will. */
  ask: (api: Api, companyId: number, search: URLSearchParams) => Promise<unknown>
}

const heldMs = 5_000
const readings = new Map<string, unknown>()

/** `name`: what the page's live query bears, together with what it asks. */
export function hold(name: string, value: unknown): void {
  readings.set(name, value)
  setTimeout(() => readings.delete(name), heldMs)
}

/** Undefined where nothing was read ahead. */
export const heldFor = (name: string): unknown => readings.get(name)
