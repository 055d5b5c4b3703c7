/** What the address of the app history says (C-01). */
import { listAppHistory } from '#contract/apps.ts'
import type { ListSpec } from '#contract/endpoint.ts'
import {
  changeListState,
  type ListUrlState,
  toPageQuery,
  plainListState,
  readListState,
  toSearchQuery,
  writeListState,
} from '#state/list-url.ts'

// Its type does not say so, but a list it is.
const listSpec = listAppHistory.list as ListSpec

export type AppHistoryView = ListUrlState

export const defaultListView: AppHistoryView = plainListState(listSpec)

export const readView = (query: URLSearchParams): AppHistoryView => readListState(query, listSpec)

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: AppHistoryView): URLSearchParams {
  const query = new URLSearchParams()
  writeListState(query, view, listSpec)
  return query
}

export const changeView = (view: AppHistoryView, change: Partial<AppHistoryView>): AppHistoryView =>
  changeListState(view, change)

export const toRememberedQuery = (view: AppHistoryView): string => writeView(view).toString()

export const isFiltered = (view: AppHistoryView): boolean => view.searchText.trim() !== ''

export const toListQuery = (view: AppHistoryView) => ({ ...toPageQuery(view), ...toSearchQuery(view) })
