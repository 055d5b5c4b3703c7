/** Parameters of the audit trail in its address (C-01). */
import { storedTrailListSpec, type listTrail } from '#contract/audit-trail.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { type Caller, isDeleteLevel, isProviderAdmin } from '#domain/access.ts'
import {
  type AuditMenu,
  auditMenus,
  auditOperations,
  catalogueMenus,
  maxCountedEntries,
} from '#domain/audit-log/leaf.ts'
import { addDays, isDay } from '#domain/plain-dates.ts'
import { defineListView, type ListUrlState, type ListViewDefinition } from '#state/list-url.ts'
import { date, id, oneOf, type ViewField } from '#state/view-fields.ts'

export const getLastPage = ({ results }: Pick<ListUrlState, 'results'>): number =>
  Math.floor(maxCountedEntries / results)

/** Returns whether there are entries that no numbered page contains. */
export const isBeyondNumbers = (
  view: TrailView,
  { count, more }: { count: number; more?: boolean | undefined },
): boolean => view.after !== null || more === true || count > getLastPage(view) * view.results

const intentField: ViewField<string | null> = {
  defaultValue: null,
  parse: (text) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined),
  print: String,
}

const listView = defineListView(storedTrailListSpec, {
  code: oneOf(auditMenus),
  operation: oneOf(auditOperations),
  /** First and last day, both included. Null means that the range is open at this end. */
  dateFrom: date(),
  dateTo: date(),
  /** Id of the user who made the call. */
  user: id(),
  status: oneOf([0, -1] as const),
  intent: intentField,
  /** For the provider's staff: company whose log is listed; null for their own. */
  company: id({
    isScope: true,
    toQuery: (company): { companyId?: number } => (company === null ? {} : { companyId: company }),
  }),
  /** Id of the entry before the page's first entry. Used instead of a page number after the last numbered page. */
  after: id({ isOutsideList: true }),
  open: id({ param: 'entry', isOutsideList: true }),
})
export type TrailView = (typeof listView)['defaultView']
export type TrailRange = Pick<TrailView, 'dateFrom' | 'dateTo'>

export const trailView: ListViewDefinition<TrailView> = {
  ...listView,
  read(query) {
    const view = listView.read(query)
    return { ...view, ...readRange(view.dateFrom, view.dateTo), page: Math.min(view.page, getLastPage(view)) }
  },
  /** Every change except opening an entry or going to a next page returns to the numbered pages. */
  change(view, change) {
    if (Object.keys(change).every((name) => name === 'open')) return listView.change(view, change)
    return listView.change(view, { after: null, ...(change.after ? { page: 1 } : {}), ...change })
  },
  toSavedQuery: (view) => listView.toSavedQuery({ ...view, page: 1 }),
  /** Number of active filters. Operation and intent are not counted, because they are chips and have no filter field. */
  countFilters: (view) => listView.countFilters({ ...view, operation: null, intent: null }),
}

export function toTrailInput(view: TrailView) {
  const { page, ...query } = trailView.toListQuery(view)
  const position = view.after === null ? { page } : { after: view.after }
  return { query: { ...query, ...position } } as InputOf<typeof listTrail>
}

/** Removes filters that the user may not use (contracts 2, D51). An address may contain them. */
export const restrictView = (view: TrailView, caller: Caller): TrailView => ({
  ...view,
  code: view.code && canFilter(view.code, caller) ? view.code : null,
  company: isProviderAdmin(caller) && view.company !== caller.companyId ? view.company : null,
})

/** Only the delete level sees app, module, automodule and price (contracts 2). */
export const listMenus = (caller: Caller): AuditMenu[] => auditMenus.filter((menu) => canFilter(menu, caller))
const canFilter = (menu: AuditMenu, caller: Caller) => !catalogueMenus.includes(menu) || isDeleteLevel(caller)

/** Number of days that the chart draws before and after a single selected day. */
const neighbourDays = 45

/** Returns the view's days or, for a single day, `wideRange` (the last longer range) if it contains that day. */
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

/** Reads the range in an address. If it starts after its end, both days are ignored. */
export function readRange(from: string | null, to: string | null): TrailRange {
  const [dateFrom, dateTo] = [readDay(from), readDay(to)]
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) return { dateFrom: null, dateTo: null }
  return { dateFrom, dateTo }
}

const readDay = (text: string | null) => (text !== null && isDay(text) ? text : null)
