/** What the address of the audit trail says (C-01). What the caller may not ask for is left out, as if it were not there. */
import { storedTrailListSpec, type listTrail } from '#contract/audit-trail.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { type Caller, isDeleteLevel, isProviderAdmin } from '#domain/access.ts'
import {
  type AuditMenu,
  auditMenus,
  type AuditOperation,
  auditOperations,
  catalogueMenus,
  maxCountedEntries,
} from '#domain/audit-log/leaf.ts'
import { addDays, isDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
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

type TrailQuery = NonNullable<InputOf<typeof listTrail>['query']>
/** The last page that has a number. */
export const getLastPage = ({ results }: Pick<ListUrlState, 'results'>): number =>
  Math.floor(maxCountedEntries / results)
const maxId = 2_147_483_647

export interface TrailRange {
  /** Both days are part of the range; null: open. */
  dateFrom: PlainDate | null
  dateTo: PlainDate | null
}

export interface TrailFilterValues extends TrailRange {
  code: AuditMenu | null
  operation: AuditOperation | null
  /** Id of who did it. */
  user: number | null
  status: 0 | -1 | null
  intent: string | null
  /** Whose log, where the provider's staff look at a customer's; null: the own company's. */
  company: number | null
}

export interface TrailView extends ListUrlState, TrailFilterValues {
  /** The entry behind which the page begins, beyond what has page numbers. */
  after: number | null
  /** The entry in the drawer. */
  open: number | null
}

export const noFilters: TrailFilterValues = {
  code: null,
  operation: null,
  dateFrom: null,
  dateTo: null,
  user: null,
  status: null,
  intent: null,
  company: null,
}

export const defaultListView: TrailView = {
  ...noFilters,
  ...plainListState(storedTrailListSpec),
  after: null,
  open: null,
}

export function readView(query: URLSearchParams): TrailView {
  const listState = readListState(query, storedTrailListSpec)
  return {
    code: auditMenus.find((menu) => menu === query.get('code')) ?? null,
    operation: auditOperations.find((candidate) => candidate === query.get('operation')) ?? null,
    ...readRange(query.get('dateFrom'), query.get('dateTo')),
    user: parseWholeNumber(query.get('user'), maxId),
    status: ([0, -1] as const).find((status) => String(status) === query.get('status')) ?? null,
    intent: readIntent(query.get('intent')),
    company: parseWholeNumber(query.get('company'), maxId),
    ...listState,
    page: Math.min(listState.page, getLastPage(listState)),
    after: parseWholeNumber(query.get('after'), maxId),
    open: parseWholeNumber(query.get('entry'), maxId),
  }
}

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: TrailView): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of Object.keys(noFilters) as (keyof TrailFilterValues)[])
    if (view[name] !== null) query.set(name, String(view[name]))
  writeListState(query, view, storedTrailListSpec)
  if (view.after !== null) query.set('after', String(view.after))
  if (view.open !== null) query.set('entry', String(view.open))
  return query
}

/** Opening an entry lists nothing else; every other change begins where page numbers count again. */
export function changeView(view: TrailView, change: Partial<TrailView>): TrailView {
  const next = changeListState(view, change, 'open')
  const isOpenOnly = Object.keys(change).every((name) => name === 'open')
  return isOpenOnly || 'after' in change ? next : { ...next, after: null }
}

/** What is remembered of a view when one comes back to the page (C-02): the filters and their order. */
export const toRememberedQuery = (view: TrailView): string =>
  writeView({ ...view, page: 1, after: null, open: null }).toString()

export const isFiltered = (view: TrailView): boolean =>
  view.searchText.trim() !== '' ||
  (Object.keys(noFilters) as (keyof TrailFilterValues)[]).some((name) => name !== 'company' && view[name] !== null)

/** How many of the filters are in use that a phone keeps in a sheet. */
export const countFilters = (view: TrailView): number =>
  (['code', 'operation', 'dateFrom', 'dateTo', 'user', 'status', 'company'] as const).filter(
    (name) => view[name] !== null,
  ).length

/** An address may ask for what its reader is not given (contracts 2, D51): they see what they may. */
export const restrictView = (view: TrailView, caller: Caller): TrailView => ({
  ...view,
  code: view.code && canFilter(view.code, caller) ? view.code : null,
  company: isProviderAdmin(caller) && view.company !== caller.companyId ? view.company : null,
})

/** App, module, automodule and price are the delete level's (contracts 2). */
export const listMenus = (caller: Caller): AuditMenu[] => auditMenus.filter((menu) => canFilter(menu, caller))
const canFilter = (menu: AuditMenu, caller: Caller) => !catalogueMenus.includes(menu) || isDeleteLevel(caller)

type FilterQuery = { [K in Exclude<keyof TrailFilterValues, 'company'>]?: NonNullable<TrailFilterValues[K]> }

/** What narrows the trail, as all of its calls understand it. */
export function toFilterQuery(view: TrailView) {
  const { company: _company, ...filters } = noFilters
  const filterEntries = (Object.keys(filters) as (keyof typeof filters)[]).flatMap((name) =>
    view[name] === null ? [] : [[name, view[name]] as const],
  )
  return {
    ...(Object.fromEntries(filterEntries) as FilterQuery),
    ...(view.company === null ? {} : { companyId: view.company }),
    ...toSearchQuery(view),
  }
}

/** The page that a view shows. */
export function toListQuery(view: TrailView): TrailQuery {
  const { page, ...listParams } = toPageQuery(view)
  const position = view.after === null ? { page } : { after: view.after }
  return { ...listParams, ...position, ...toFilterQuery(view) } as TrailQuery
}

/** So far on either side a day that stands alone is drawn with its neighbours. */
const neighbourDays = 45

/** The days to draw: those of the view. `wideRange`: the last longer range, in which another day can be chosen as long as it holds the day. */
export function toDrawnRange(view: TrailRange, wideRange: TrailRange | null): TrailRange {
  const { dateFrom, dateTo } = view
  if (dateFrom === null || dateFrom !== dateTo) return { dateFrom, dateTo }
  const containsDay =
    wideRange &&
    (wideRange.dateFrom === null || wideRange.dateFrom <= dateFrom) &&
    (wideRange.dateTo === null || wideRange.dateTo >= dateFrom)
  return containsDay
    ? wideRange
    : { dateFrom: addDays(dateFrom, -neighbourDays), dateTo: addDays(dateFrom, neighbourDays) }
}

/** A range that begins after its end holds nothing: neither of its days is taken. */
export function readRange(from: string | null, to: string | null): TrailRange {
  const [dateFrom, dateTo] = [readDay(from), readDay(to)]
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) return { dateFrom: null, dateTo: null }
  return { dateFrom, dateTo }
}

const readDay = (text: string | null) => (text !== null && isDay(text) ? text : null)

const readIntent = (text: string | null) =>
  text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null
