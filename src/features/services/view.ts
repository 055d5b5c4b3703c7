/** What the address of the service list says (C-01). */
import { type ServiceRow, serviceListSpec } from '#contract/services.ts'
import {
  changeListState,
  type ListUrlState,
  toPageQuery,
  plainListState,
  readListState,
  parseWholeNumber,
  toSearchQuery,
  writeListState,
} from '#state/list-url.ts'

export type SystemStatus = ServiceRow['system_status']
/** D40, in the order in which they are offered. */
export const systemStatuses: readonly SystemStatus[] = [2, 1, 3, 4, 5, 0]

export interface ServicesView extends ListUrlState {
  status: SystemStatus | null
  /** Whose services; null: everybody's. */
  company: number | null
}

export const defaultListView: ServicesView = { status: null, company: null, ...plainListState(serviceListSpec) }

export const readView = (query: URLSearchParams): ServicesView => ({
  status: systemStatuses.find((status) => String(status) === query.get('status')) ?? null,
  company: parseWholeNumber(query.get('company'), 2_147_483_647),
  ...readListState(query, serviceListSpec),
})

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: ServicesView): URLSearchParams {
  const query = new URLSearchParams()
  if (view.company !== null) query.set('company', String(view.company))
  if (view.status !== null) query.set('status', String(view.status))
  writeListState(query, view, serviceListSpec)
  return query
}

export const changeView = (view: ServicesView, change: Partial<ServicesView>): ServicesView =>
  changeListState(view, change)

export const toRememberedQuery = (view: ServicesView): string => writeView(view).toString()

export const isFiltered = (view: ServicesView): boolean =>
  view.status !== null || view.company !== null || view.searchText.trim() !== ''

/** As both the call and the device's rows understand it. */
export const toListQuery = (view: ServicesView) => ({
  ...toPageQuery(view),
  ...(view.status === null ? {} : { systemStatus: view.status }),
  ...(view.company === null ? {} : { companyId: view.company }),
  ...toSearchQuery(view),
})
