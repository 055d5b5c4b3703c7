/** What the address of the service list says (C-01). */
import { type ServiceRow, servicesFills } from '#contract/services.ts'
import {
  changeListing,
  type Listing,
  pageOf,
  plainListing,
  readListing,
  readWhole,
  searchOf,
  writeListing,
} from '#state/list-url.ts'

export type SystemStatus = ServiceRow['system_status']
/** D40, in the order in which they are offered. */
export const systemStatuses: readonly SystemStatus[] = [2, 1, 3, 4, 5, 0]

export interface View extends Listing {
  status: SystemStatus | null
  /** Whose services; null: everybody's. */
  company: number | null
}

export const plainView: View = { status: null, company: null, ...plainListing(servicesFills) }

export const readView = (query: URLSearchParams): View => ({
  status: systemStatuses.find((status) => String(status) === query.get('status')) ?? null,
  company: readWhole(query.get('company'), 2_147_483_647),
  ...readListing(query, servicesFills),
})

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  if (view.company !== null) query.set('company', String(view.company))
  if (view.status !== null) query.set('status', String(view.status))
  writeListing(query, view, servicesFills)
  return query
}

export const changeView = (view: View, change: Partial<View>): View => changeListing(view, change)

export const remembered = (view: View): string => writeView(view).toString()

export const isFiltered = (view: View): boolean =>
  view.status !== null || view.company !== null || view.searchText.trim() !== ''

/** As both the call and the device's rows understand it. */
export const queryOf = (view: View) => ({
  ...pageOf(view),
  ...(view.status === null ? {} : { systemStatus: view.status }),
  ...(view.company === null ? {} : { companyId: view.company }),
  ...searchOf(view),
})
