/** What the address of the app history says (C-01). */
import { listAppHistory } from '#contract/apps.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import {
  changeListing,
  type Listing,
  pageOf,
  plainListing,
  readListing,
  searchOf,
  writeListing,
} from '#state/list-url.ts'

// Its type does not say so, but a list it is.
const list = listAppHistory.list as ListSpec

export type View = Listing

export const plainView: View = plainListing(list)

export const readView = (query: URLSearchParams): View => readListing(query, list)

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  writeListing(query, view, list)
  return query
}

export const changeView = (view: View, change: Partial<View>): View => changeListing(view, change)

export const remembered = (view: View): string => writeView(view).toString()

export const isFiltered = (view: View): boolean => view.searchText.trim() !== ''

export const queryOf = (view: View) => ({ ...pageOf(view), ...searchOf(view) })
