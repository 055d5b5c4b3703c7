/** The view of the audit trail in its address (C-01). */
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

/** The last page that has a number. */
export const getLastPage = ({ results }: Pick<ListUrlState, 'results'>): number =>
  Math.floor(maxCountedEntries / results)

/** Whether there are entries that no page number leads to. */
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
  /** Both days are part of the range; null: open. */
  dateFrom: date(),
  dateTo: date(),
  /** Id of the user who did it. */
  user: id(),
  status: oneOf([0, -1] as const),
  intent: intentField,
  /** For the provider's staff: the company whose log is listed; null: their own. */
  company: id({
    isScope: true,
    toQuery: (company): { companyId?: number } => (company === null ? {} : { companyId: company }),
  }),
  /** The entry after which the page begins, past the last page that has a number. */
  after: id({ isOutsideList: true }),
  /** The entry in the drawer. */
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
  /** Every change but an opened entry leads back to the pages that have a number. */
  change(view, change) {
    if (Object.keys(change).every((name) => name === 'open')) return listView.change(view, change)
    return listView.change(view, { after: null, ...(change.after ? { page: 1 } : {}), ...change })
  },
  toSavedQuery: (view) => listView.toSavedQuery({ ...view, page: 1 }),
  /** The intent has a chip, no field. */
  countFilters: (view) => listView.countFilters({ ...view, intent: null }),
}

/** The page that a view shows: by its number, or after an entry. */
export function toTrailInput(view: TrailView) {
  const { page, ...query } = trailView.toListQuery(view)
  const position = view.after === null ? { page } : { after: view.after }
  return { query: { ...query, ...position } } as InputOf<typeof listTrail>
}

/** An address may name what its reader may not see (contracts 2, D51): that is left out. */
export const restrictView = (view: TrailView, caller: Caller): TrailView => ({
  ...view,
  code: view.code && canFilter(view.code, caller) ? view.code : null,
  company: isProviderAdmin(caller) && view.company !== caller.companyId ? view.company : null,
})

/** Only the delete level sees app, module, automodule and price (contracts 2). */
export const listMenus = (caller: Caller): AuditMenu[] => auditMenus.filter((menu) => canFilter(menu, caller))
const canFilter = (menu: AuditMenu, caller: Caller) => !catalogueMenus.includes(menu) || isDeleteLevel(caller)

/** A single day is drawn with as many days before and after it. */
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
