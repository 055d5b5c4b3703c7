import { type RawBuilder, sql } from 'kysely'
import { type AuditMenu, catalogueMenus, maxCountedEntries } from '#domain/audit-log/leaf.ts'
import { normaliseText } from '#domain/text.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AuditActor } from '#server/db/tables/audit-tables.ts'

export interface TrailFilter {
  companyId: number
  /** Whether the reader may see which member of the provider's staff acted in a customer's log. */
  readsActors: boolean
  /** Whether entries of modules, apps and prices are included (contracts 2). */
  readsCatalogue: boolean
  code?: AuditMenu | undefined
  operation?: string | undefined
  withoutLogins?: boolean | undefined
  /** Epoch ms; `until` is not included. */
  from?: number | undefined
  until?: number | undefined
  user?: number | undefined
  status?: 0 | -1 | undefined
  intent?: string | undefined
  entry?: number | undefined
  searchText?: string | undefined
}

export interface AuditEntryMatch {
  id: number
  log_index: number | null
  leaf: string
  actor: AuditActor | null
}

/** Returns the company whose log has an entry with this intent by the caller's company, otherwise null. */
export async function findCompanyOfIntent(db: DatabaseHandle, intent: string): Promise<number | null> {
  const { rows } = await sql<{ company: number | null }>`select company_of_intent(${intent}) as company`.execute(db)
  return rows[0]?.company ?? null
}

export interface AuditPageRequest {
  results: number
  page: number
  /** Id of an entry. The page begins with the entry after it. */
  after?: number | undefined
  descending: boolean
}

function buildConditions(filter: TrailFilter): RawBuilder<unknown> {
  const { companyId, code, operation, from, until, user, status, intent, entry } = filter
  const searchText = normaliseText(filter.searchText ?? '')
  const allConditions: (RawBuilder<unknown> | false)[] = [
    sql`entry.company_id = ${companyId}`,
    !filter.readsCatalogue && sql`entry.code not in (${sql.join(catalogueMenus)})`,
    code !== undefined && sql`entry.code = ${code}`,
    operation !== undefined && sql`entry.operation = ${operation}`,
    filter.withoutLogins === true && sql`entry.operation <> 'login'`,
    from !== undefined && sql`entry.end_time >= ${from}::bigint`,
    until !== undefined && sql`entry.end_time < ${until}::bigint`,
    user !== undefined && matchesUser(user, filter.readsActors),
    // Written as a literal, because the partial index on failed entries only matches the literal condition.
    status !== undefined && (status === -1 ? sql`entry.status = -1` : sql`entry.status = 0`),
    intent !== undefined && sql`entry.intent = ${intent}`,
    entry !== undefined && sql`entry.id = ${entry}`,
    // Uses position(), not LIKE, so that % and _ in the user's input are plain text.
    searchText !== '' && sql`position(${searchText} in entry.search) > 0`,
  ]
  return sql.join(
    allConditions.filter((condition) => condition !== false),
    sql` and `,
  )
}

const matchesUser = (user: number, readsActors: boolean) =>
  readsActors
    ? sql`(entry.exec_user_id = ${user} or (entry.actor ->> 'user_id')::integer = ${user})`
    : sql`entry.exec_user_id = ${user}`

export async function listAuditEntries(
  db: DatabaseHandle,
  filter: TrailFilter,
  { results, page, after, descending }: AuditPageRequest,
): Promise<AuditEntryMatch[]> {
  const direction = descending ? sql`desc` : sql`asc`
  const comparison = descending ? sql`<` : sql`>`
  const afterCondition =
    after === undefined
      ? sql``
      : sql`and (entry.end_time, entry.id) ${comparison} (select end_time, id from audit_entry where id = ${after})`
  const { rows } = await sql<AuditEntryMatch>`
    select entry.id, place.log_index, entry.leaf, entry.actor
    from (select * from audit_entry entry where ${buildConditions(filter)} ${afterCondition}
      order by entry.end_time ${direction}, entry.id ${direction}
      limit ${results} offset ${after === undefined ? (page - 1) * results : 0}) entry
    left join audit_leaf place on place.entry_id = entry.id
    order by entry.end_time ${direction}, entry.id ${direction}`.execute(db)
  return rows
}

/** Counts entries, but at most one more than `maxCountedEntries`. */
export async function countAuditEntries(db: DatabaseHandle, filter: TrailFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (select from audit_entry entry where ${buildConditions(filter)} limit ${maxCountedEntries + 1}) found`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export interface DayCount {
  day: string
  done: number
  failed: number
}

/** Counts entries by day in the time zone. Days without an entry are left out. */
export async function countDays(db: DatabaseHandle, filter: TrailFilter, zone: string): Promise<DayCount[]> {
  const day = sql`to_char(to_timestamp(entry.end_time / 1000) at time zone ${zone}::text, 'YYYY-MM-DD')`
  const { rows } = await sql<DayCount>`
    select ${day} as day, count(*) filter (where status = 0)::integer as done,
      count(*) filter (where status = -1)::integer as failed
    from audit_entry entry where ${buildConditions(filter)} group by 1 order by 1`.execute(db)
  return rows
}

export interface SizedLogRange {
  from: number
  /** End of the range, exclusive. */
  to: number
  bytes: number
}

/** Returns the smallest range of the log that contains all entries of this period, or an empty range without entries. */
export async function findLogRange(
  db: DatabaseHandle,
  companyId: number,
  { from, until }: { from: number; until: number },
): Promise<SizedLogRange> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(place.log_index) as first, max(place.log_index) as last
    from audit_entry entry join audit_leaf place on place.entry_id = entry.id
    where entry.company_id = ${companyId} and entry.end_time >= ${from}::bigint and entry.end_time < ${until}::bigint`.execute(
    db,
  )
  const { first, last } = rows[0] ?? { first: null, last: null }
  if (first === null || last === null) return { from: 0, to: 0, bytes: 0 }
  const { rows: sizes } = await sql<{ bytes: number | string | null }>`
    select sum(octet_length(entry.leaf)) as bytes
    from audit_leaf place join audit_entry entry on entry.id = place.entry_id
    where place.company_id = ${companyId} and place.log_index between ${first} and ${last}`.execute(db)
  return { from: first, to: last + 1, bytes: Number(sizes[0]?.bytes ?? 0) }
}

export interface PlacedLeaf {
  log_index: number
  code: AuditMenu
  leaf: string
}

/** Returns leaves in the order of the log, from `from` to `to` (exclusive). */
export async function readLeaves(
  db: DatabaseHandle,
  companyId: number,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<PlacedLeaf[]> {
  const { rows } = await sql<PlacedLeaf>`
    select place.log_index, entry.code, entry.leaf
    from audit_leaf place join audit_entry entry on entry.id = place.entry_id
    where place.company_id = ${companyId} and place.log_index >= ${from} and place.log_index < ${to}
    order by place.log_index limit ${limit}`.execute(db)
  return rows
}
