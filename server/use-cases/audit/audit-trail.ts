/** Reads the audit trail (contracts 2, 7, D51). */
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { isDeleteLevel, isProvider } from '#domain/access.ts'
import { getActivityDays } from '#domain/audit-log/activity.ts'
import { type AuditEntryRow, maxCountedEntries, toEntryRow } from '#domain/audit-log/leaf.ts'
import { addDays, isDate } from '#domain/plain-dates.ts'
import { toPlainDate, getStartOfDay } from '#domain/time.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import {
  findCompanyOfIntent,
  countDays,
  countAuditEntries,
  type AuditEntryMatch,
  type TrailFilter,
  listAuditEntries,
} from '#server/db/audit/audit-list.ts'
import { setTenant } from '#server/db/tenant.ts'
import { createValidationProblem, createNotFoundProblem } from '#server/problems/problem-error.ts'
import { checkListedEntries } from '#server/use-cases/audit/check-listed-entries.ts'

export type TrailReader = Pick<UseCaseContext, 'db' | 'app' | 'caller'>

/**
 * Returns the company whose log is read, and restricts the rest of the transaction to it. Throws NOT_FOUND for another company's log unless
 * the caller is of the provider's staff. Log 0 contains the entries of calls without a session.
 */
export async function openTrail({ db, caller }: TrailReader, companyId: number | null | undefined): Promise<number> {
  const id = companyId ?? caller.companyId
  if (id !== caller.companyId && !isProvider(caller)) throw createNotFoundProblem()
  if (id !== caller.companyId) await setTenant(db, id)
  return id
}

type TrailQuery = Omit<
  ParsedInputOf<typeof listTrail>['query'],
  'results' | 'page' | 'after' | 'sortField' | 'sortOrder'
>

/** Throws VALIDATION_ERROR if a date is invalid or the first one is after the last. */
export function parseTrailFilter(
  { app, caller }: Omit<TrailReader, 'db'>,
  companyId: number,
  query: TrailQuery,
): TrailFilter {
  const { dateFrom, dateTo, code, operation, withoutLogins, user, status, intent, entry, searchText } = query
  const zone = app.config.timeZone
  const dates = { dateFrom, dateTo }
  const invalidDates = Object.entries(dates).filter(([, day]) => day !== undefined && !isDate(day))
  if (invalidDates.length > 0)
    throw createValidationProblem(invalidDates.map(([field]) => ({ field, code: 'INVALID_FORMAT' as const })))
  if (dateFrom && dateTo && dateFrom > dateTo)
    throw createValidationProblem([{ field: 'dateTo', code: 'OUT_OF_RANGE' }])
  return {
    companyId,
    readsActors: isProvider(caller),
    readsCatalogue: isDeleteLevel(caller),
    code,
    operation,
    withoutLogins,
    from: dateFrom === undefined ? undefined : getStartOfDay(zone, dateFrom),
    until: dateTo === undefined ? undefined : getStartOfDay(zone, addDays(dateTo, 1)),
    user,
    status,
    intent,
    entry,
    searchText,
  }
}

/** Returns the row of an entry. Customers do not see which member of the provider's staff acted. */
export function toVisibleEntryRow(
  { app, caller }: Omit<TrailReader, 'db'>,
  { leaf, log_index, actor }: AuditEntryMatch,
): AuditEntryRow {
  const row = toEntryRow(leaf, log_index, app.config.timeZone)
  if (!actor || !isProvider(caller)) return row
  return { ...row, exec_user_id: actor.user_id, exec_user_name: actor.user_name }
}

type WireRow = OutputOf<typeof listTrail>['data'][number]

/** The rows are `readonly`, but the contract's type is not. */
const toWireRows = (rows: AuditEntryRow[]) => rows as unknown as WireRow[]

export const listEntries: UseCase<typeof listTrail> = async (context, { query }) => {
  const { results, page, after, sortOrder, companyId, ...conditions } = query
  if (after === undefined && page * results > maxCountedEntries)
    throw createValidationProblem([{ field: 'page', code: 'OUT_OF_RANGE' }])
  // An action of the staff for a customer is in the customer's log. A receipt has the intent of the action but not the customer, so other
  // logs are searched too.
  const shouldSearchOtherLogs = companyId === undefined && conditions.intent !== undefined && isProvider(context.caller)
  const logCompanyId = await openTrail(context, companyId)
  const filter = parseTrailFilter(context, logCompanyId, conditions)
  const descending = !(sortOrder ?? 'desc').startsWith('asc')
  const matches = await listAuditEntries(context.db, filter, { results, page, after, descending })
  const rows = matches.length === 0 && shouldSearchOtherLogs ? await findInOtherLogs(context, filter) : matches
  if (rows === matches) await checkListedEntries(context.app, context.db, logCompanyId, rows)
  const count = await countMatches(context, filter, { ...query, matchCount: rows.length })
  const body = {
    count: Math.min(count, maxCountedEntries),
    data: toWireRows(rows.map((row) => toVisibleEntryRow(context, row))),
  }
  return { body: count > maxCountedEntries ? { ...body, more: true as const } : body }
}

/** Returns the number of matches. If the page is not full, it follows from the page, unless the page is after the end. */
async function countMatches(
  { db }: TrailReader,
  filter: TrailFilter,
  {
    results,
    page,
    after,
    matchCount,
  }: { results: number; page: number; after?: number | undefined; matchCount: number },
): Promise<number> {
  const isLastPage = after === undefined && matchCount < results && (matchCount > 0 || page === 1)
  return isLastPage ? (page - 1) * results + matchCount : countAuditEntries(db, filter)
}

/** Searches the logs of other companies, by a database function that can only find an intent. */
async function findInOtherLogs(context: UseCaseContext, filter: TrailFilter): Promise<AuditEntryMatch[]> {
  const company = await findCompanyOfIntent(context.db, filter.intent ?? '')
  if (company === null) return []
  await setTenant(context.db, company)
  return listAuditEntries(context.db, { ...filter, companyId: company }, { results: 50, page: 1, descending: true })
}

export const readActivity: UseCase<typeof trailActivity> = async (context, { query }) => {
  const { companyId, ...conditions } = query
  const logCompanyId = await openTrail(context, companyId)
  const { app, now } = context
  parseTrailFilter(context, logCompanyId, conditions)
  const { firstDay, lastDay, from } = getActivityDays(conditions, toPlainDate(app.config.timeZone, now))
  if (firstDay > lastDay) return { body: { days: [], from } }
  const filter = parseTrailFilter(context, logCompanyId, { ...conditions, dateFrom: firstDay, dateTo: lastDay })
  const days = await countDays(context.db, filter, app.config.timeZone)
  return { body: { days, from } }
}
