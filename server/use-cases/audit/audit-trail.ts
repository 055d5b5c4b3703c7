/** The audit trail as it is read: whose log, what of it, and its rows (contracts 2, 7, D51). */
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { isDeleteLevel, isProvider } from '#domain/access.ts'
import { activityDays } from '#domain/audit-log/activity.ts'
import { type AuditEntryRow, countedMost, entryOfLeaf } from '#domain/audit-log/leaf.ts'
import { addDays, isDate } from '#domain/period.ts'
import { dateIn, startOfDay } from '#domain/time.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import {
  companyOfIntent,
  countDays,
  countTrail,
  type FoundEntry,
  type TrailFilter,
  trailPage,
} from '#server/db/audit/audit-list.ts'
import { fenceTo } from '#server/db/tenant.ts'
import { invalid, notFound } from '#server/problems/problem-error.ts'
import { checkListedEntries } from '#server/use-cases/audit/check-listed-entries.ts'

export type Reader = Pick<UseCaseContext, 'db' | 'app' | 'caller'>

/**
 * The company whose log is read, behind whose fence the rest of the transaction stands. Throws NOT_FOUND for another company's
 * where the caller is none of the provider's staff; 0, of calls without a session, is for them too.
 */
export async function openLog({ db, caller }: Reader, companyId: number | null | undefined): Promise<number> {
  const id = companyId ?? caller.companyId
  if (id !== caller.companyId && !isProvider(caller)) throw notFound()
  if (id !== caller.companyId) await fenceTo(db, id)
  return id
}

type Asked = Omit<ParsedInputOf<typeof listTrail>['query'], 'results' | 'page' | 'after' | 'sortField' | 'sortOrder'>

/** Throws VALIDATION_ERROR where a day is no date or the first is after the last. */
export function filterOf({ app, caller }: Omit<Reader, 'db'>, companyId: number, asked: Asked): TrailFilter {
  const { dateFrom, dateTo, code, operation, user, status, intent, entry, searchText } = asked
  const zone = app.config.timeZone
  const dates = { dateFrom, dateTo }
  const wrong = Object.entries(dates).filter(([, day]) => day !== undefined && !isDate(day))
  if (wrong.length > 0) throw invalid(wrong.map(([field]) => ({ field, code: 'INVALID_FORMAT' as const })))
  if (dateFrom && dateTo && dateFrom > dateTo) throw invalid([{ field: 'dateTo', code: 'OUT_OF_RANGE' }])
  return {
    companyId,
    readsActors: isProvider(caller),
    readsCatalogue: isDeleteLevel(caller),
    code,
    operation,
    from: dateFrom === undefined ? undefined : startOfDay(zone, dateFrom),
    until: dateTo === undefined ? undefined : startOfDay(zone, addDays(dateTo, 1)),
    user,
    status,
    intent,
    entry,
    searchText,
  }
}

/** The entry as this reader sees it: customers do not read which of the provider's staff it was. */
export function entryRow({ app, caller }: Omit<Reader, 'db'>, { leaf, log_index, actor }: FoundEntry): AuditEntryRow {
  const row = entryOfLeaf(leaf, log_index, app.config.timeZone)
  if (!actor || !isProvider(caller)) return row
  return { ...row, exec_user_id: actor.user_id, exec_user_name: actor.user_name }
}

type Row = OutputOf<typeof listTrail>['data'][number]

/** Rows of the contract's type: `readonly` ends at the wire. */
const wire = (rows: AuditEntryRow[]) => rows as unknown as Row[]

export const list: UseCase<typeof listTrail> = async (context, { query }) => {
  const { results, page, after, sortOrder, companyId, ...asked } = query
  if (after === undefined && page * results > countedMost) throw invalid([{ field: 'page', code: 'OUT_OF_RANGE' }])
  // What one of the staff did for a customer stands in that customer's log: its receipt finds it without naming whose.
  const anywhere = companyId === undefined && asked.intent !== undefined && isProvider(context.caller)
  const own = await openLog(context, companyId)
  const filter = filterOf(context, own, asked)
  const descending = !(sortOrder ?? 'desc').startsWith('asc')
  const found = await trailPage(context.db, filter, { results, page, after, descending })
  const rows = found.length === 0 && anywhere ? await elsewhere(context, filter) : found
  if (rows === found) await checkListedEntries(context.app, context.db, own, rows)
  const count = await countOf(context, filter, { ...query, found: rows.length })
  const body = { count: Math.min(count, countedMost), data: wire(rows.map((row) => entryRow(context, row))) }
  return { body: count > countedMost ? { ...body, more: true as const } : body }
}

/** A page that is not full tells the count by itself, unless it lies beyond the end. */
async function countOf(
  { db }: Reader,
  filter: TrailFilter,
  { results, page, after, found }: { results: number; page: number; after?: number | undefined; found: number },
): Promise<number> {
  const isEnd = after === undefined && found < results && (found > 0 || page === 1)
  return isEnd ? (page - 1) * results + found : countTrail(db, filter)
}

/** In the logs of other companies, by a function that finds an intent and nothing else. */
async function elsewhere(context: UseCaseContext, filter: TrailFilter): Promise<FoundEntry[]> {
  const company = await companyOfIntent(context.db, filter.intent ?? '')
  if (company === null) return []
  await fenceTo(context.db, company)
  return trailPage(context.db, { ...filter, companyId: company }, { results: 50, page: 1, descending: true })
}

export const activity: UseCase<typeof trailActivity> = async (context, { query }) => {
  const { companyId, ...asked } = query
  const own = await openLog(context, companyId)
  const { app, now } = context
  filterOf(context, own, asked)
  const { first, last, from } = activityDays(asked, dateIn(app.config.timeZone, now))
  if (first > last) return { body: { days: [], from } }
  const filter = filterOf(context, own, { ...asked, dateFrom: first, dateTo: last })
  const days = await countDays(context.db, filter, app.config.timeZone)
  return { body: { days, from } }
}
