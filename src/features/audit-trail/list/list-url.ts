/** What the address of the audit trail says (C-01). What the caller may not ask for is left out, as if it were not there. */
import { keptTrail, type listTrail } from '#contract/audit-trail.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { type Caller, isDeleteLevel, isProviderAdmin } from '#domain/access.ts'
import {
  type AuditMenu,
  auditMenus,
  type AuditOperation,
  auditOperations,
  catalogueMenus,
  countedMost,
} from '#domain/audit-log/leaf.ts'
import { addDays, isDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
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

type Query = NonNullable<InputOf<typeof listTrail>['query']>
/** The last page that has a number. */
export const lastPage = ({ results }: Pick<Listing, 'results'>): number => Math.floor(countedMost / results)
const largestId = 2_147_483_647

export interface Range {
  /** Both days are part of the range; null: open. */
  dateFrom: PlainDate | null
  dateTo: PlainDate | null
}

export interface Filters extends Range {
  code: AuditMenu | null
  operation: AuditOperation | null
  /** Id of who did it. */
  user: number | null
  status: 0 | -1 | null
  intent: string | null
  /** Whose log, where the provider's staff look at a customer's; null: the own company's. */
  company: number | null
}

export interface View extends Listing, Filters {
  /** The entry behind which the page begins, beyond what has page numbers. */
  after: number | null
  /** The entry in the drawer. */
  open: number | null
}

export const noFilters: Filters = {
  code: null,
  operation: null,
  dateFrom: null,
  dateTo: null,
  user: null,
  status: null,
  intent: null,
  company: null,
}

export const plainView: View = { ...noFilters, ...plainListing(keptTrail), after: null, open: null }

export function readView(query: URLSearchParams): View {
  const listing = readListing(query, keptTrail)
  return {
    code: auditMenus.find((menu) => menu === query.get('code')) ?? null,
    operation: auditOperations.find((one) => one === query.get('operation')) ?? null,
    ...readRange(query.get('dateFrom'), query.get('dateTo')),
    user: readWhole(query.get('user'), largestId),
    status: ([0, -1] as const).find((status) => String(status) === query.get('status')) ?? null,
    intent: readIntent(query.get('intent')),
    company: readWhole(query.get('company'), largestId),
    ...listing,
    page: Math.min(listing.page, lastPage(listing)),
    after: readWhole(query.get('after'), largestId),
    open: readWhole(query.get('entry'), largestId),
  }
}

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of Object.keys(noFilters) as (keyof Filters)[])
    if (view[name] !== null) query.set(name, String(view[name]))
  writeListing(query, view, keptTrail)
  if (view.after !== null) query.set('after', String(view.after))
  if (view.open !== null) query.set('entry', String(view.open))
  return query
}

/** Opening an entry lists nothing else; every other change begins where page numbers count again. */
export function changeView(view: View, change: Partial<View>): View {
  const next = changeListing(view, change, 'open')
  const opens = Object.keys(change).every((part) => part === 'open')
  return opens || 'after' in change ? next : { ...next, after: null }
}

/** What is remembered of a view when one comes back to the page (C-02): the filters and their order. */
export const remembered = (view: View): string => writeView({ ...view, page: 1, after: null, open: null }).toString()

export const isFiltered = (view: View): boolean =>
  view.searchText.trim() !== '' ||
  (Object.keys(noFilters) as (keyof Filters)[]).some((name) => name !== 'company' && view[name] !== null)

/** How many of the filters are in use that a phone keeps in a sheet. */
export const countFilters = (view: View): number =>
  (['code', 'operation', 'dateFrom', 'dateTo', 'user', 'status', 'company'] as const).filter(
    (name) => view[name] !== null,
  ).length

/** An address may ask for what its reader is not given (contracts 2, D51): they see what they may. */
export const allowed = (view: View, caller: Caller): View => ({
  ...view,
  code: view.code && mayFilter(view.code, caller) ? view.code : null,
  company: isProviderAdmin(caller) && view.company !== caller.companyId ? view.company : null,
})

/** App, module, automodule and price are the delete level's (contracts 2). */
export const menusFor = (caller: Caller): AuditMenu[] => auditMenus.filter((menu) => mayFilter(menu, caller))
const mayFilter = (menu: AuditMenu, caller: Caller) => !catalogueMenus.includes(menu) || isDeleteLevel(caller)

type Given = { [K in Exclude<keyof Filters, 'company'>]?: NonNullable<Filters[K]> }

/** What narrows the trail, as all of its calls understand it. */
export function filtersOf(view: View) {
  const { company: _whose, ...filters } = noFilters
  const given = (Object.keys(filters) as (keyof typeof filters)[]).flatMap((name) =>
    view[name] === null ? [] : [[name, view[name]] as const],
  )
  return {
    ...(Object.fromEntries(given) as Given),
    ...(view.company === null ? {} : { companyId: view.company }),
    ...searchOf(view),
  }
}

/** The page that a view shows. */
export function queryOf(view: View): Query {
  const { page, ...listing } = pageOf(view)
  const at = view.after === null ? { page } : { after: view.after }
  return { ...listing, ...at, ...filtersOf(view) } as Query
}

/** So far on either side a day that stands alone is drawn with its neighbours. */
const neighbours = 45

/** The days to draw: those of the view. `wide`: the last longer range, in which another day can be chosen as long as it holds the day. */
export function drawnRange(view: Range, wide: Range | null): Range {
  const { dateFrom, dateTo } = view
  if (dateFrom === null || dateFrom !== dateTo) return { dateFrom, dateTo }
  const holds =
    wide && (wide.dateFrom === null || wide.dateFrom <= dateFrom) && (wide.dateTo === null || wide.dateTo >= dateFrom)
  return holds ? wide : { dateFrom: addDays(dateFrom, -neighbours), dateTo: addDays(dateFrom, neighbours) }
}

/** A range that begins after its end holds nothing: neither of its days is taken. */
export function readRange(from: string | null, to: string | null): Range {
  const [dateFrom, dateTo] = [readDay(from), readDay(to)]
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) return { dateFrom: null, dateTo: null }
  return { dateFrom, dateTo }
}

const readDay = (text: string | null) => (text !== null && isDay(text) ? text : null)

const readIntent = (text: string | null) =>
  text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null
