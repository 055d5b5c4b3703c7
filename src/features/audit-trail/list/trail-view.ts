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
  /** Both days are included; null means open. */
  dateFrom: date(),
  dateTo: date(),
  /** Id of the user who did it. */
  user: id(),
  status: oneOf([0, -1] as const),
  intent: intentField,
  /** For the provider's staff: company whose log is listed; null for their own. */
  company: id({
    isScope: true,
    toQuery: (company): { companyId?: number } => (company === null ? {} : { companyId: company }),
  }),
  /** The page starts after this entry. Used after the last numbered page. */
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
  /** Every change except opening an entry returns to the numbered pages. */
  change(view, change) {
    if (Object.keys(change).every((name) => name === 'open')) return listView.change(view, change)
    return listView.change(view, { after: null, ...(change.after ? { page: 1 } : {}), ...change })
  },
  toSavedQuery: (view) => listView.toSavedQuery({ ...view, page: 1 }),
  /** The intent is shown as a chip and has no filter field, so it is not counted. */
  countFilters: (view) => listView.countFilters({ ...view, intent: null }),
}

export function toTrailInput(view: TrailView) {
  const { page, ...query } = trailView.toListQuery(view)
  const position = view.after === null ? { page } : { after: view.after }
  return { query: { ...query, ...position } } as InputOf<typeof listTrail>
}

/** An address may contain filters that the user may not use (contracts 2, D51). They are removed. */
export const restrictView = (view: TrailView, caller: Caller): TrailView => ({
  ...view,
  code: view.code && canFilter(view.code, caller) ? view.code : null,
  company: isProviderAdmin(caller) && view.company !== caller.companyId ? view.company : null,
})

/** Only the delete level sees app, module, automodule and price (contracts 2). */
export const listMenus = (caller: Caller): AuditMenu[] => auditMenus.filter((menu) => canFilter(menu, caller))
const canFilter = (menu: AuditMenu, caller: Caller) => !catalogueMenus.includes(menu) || isDeleteLevel(caller)

/** A single day is drawn with this many days before and after it. */
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

/** A range that starts after its end contains nothing, so both of its days are ignored. */
export function readRange(from: string | null, to: string | null): TrailRange {
  const [dateFrom, dateTo] = [readDay(from), readDay(to)]
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) return { dateFrom: null, dateTo: null }
  return { dateFrom, dateTo }
}

const readDay = (text: string | null) => (text !== null && isDay(text) ? text : null)
