/** Entries of the audit trail as they are asked for: pages, days, and all of them in pieces. */
import { type RawBuilder, sql } from 'kysely'
import { type AuditMenu, catalogueMenus, countedMost } from '#domain/audit-log/leaf.ts'
import { foldText } from '#domain/text.ts'
import type { Handle } from '#server/db/handle.ts'
import type { Actor } from '#server/db/tables/audit-tables.ts'

export interface TrailFilter {
  companyId: number
  /** The provider's staff read who of them acted in a customer's log. */
  readsActors: boolean
  /** Entries of modules, apps and prices are shown (contracts 2). */
  readsCatalogue: boolean
  code?: AuditMenu | undefined
  operation?: string | undefined
  /** Epoch ms; `until` is not included. */
  from?: number | undefined
  until?: number | undefined
  user?: number | undefined
  status?: 0 | -1 | undefined
  intent?: string | undefined
  /** The id of one. */
  entry?: number | undefined
  searchText?: string | undefined
}

export interface FoundEntry {
  id: number
  log_index: number | null
  leaf: string
  actor: Actor | null
}

/** In whose log an act of the caller's people for another company stands; null where there is none. */
export async function companyOfIntent(db: Handle, intent: string): Promise<number | null> {
  const { rows } = await sql<{ company: number | null }>`select company_of_intent(${intent}) as company`.execute(db)
  return rows[0]?.company ?? null
}

export interface TrailPage {
  results: number
  page: number
  /** Id of an entry: the page begins behind it. */
  after?: number | undefined
  descending: boolean
}

function conditions(filter: TrailFilter): RawBuilder<unknown> {
  const { companyId, code, operation, from, until, user, status, intent, entry } = filter
  const sought = foldText(filter.searchText ?? '')
  const all: (RawBuilder<unknown> | false)[] = [
    sql`entry.company_id = ${companyId}`,
    !filter.readsCatalogue && sql`entry.code not in (${sql.join(catalogueMenus)})`,
    code !== undefined && sql`entry.code = ${code}`,
    operation !== undefined && sql`entry.operation = ${operation}`,
    from !== undefined && sql`entry.end_time >= ${from}::bigint`,
    until !== undefined && sql`entry.end_time < ${until}::bigint`,
    user !== undefined && isBy(user, filter.readsActors),
    // As a literal: the index of what failed serves only what says so.
    status !== undefined && (status === -1 ? sql`entry.status = -1` : sql`entry.status = 0`),
    intent !== undefined && sql`entry.intent = ${intent}`,
    entry !== undefined && sql`entry.id = ${entry}`,
    // position(), not LIKE: what the user types has no wildcards in it.
    sought !== '' && sql`position(${sought} in entry.search) > 0`,
  ]
  return sql.join(
    all.filter((one) => one !== false),
    sql` and `,
  )
}

const isBy = (user: number, readsActors: boolean) =>
  readsActors
    ? sql`(entry.exec_user_id = ${user} or (entry.actor ->> 'user_id')::integer = ${user})`
    : sql`entry.exec_user_id = ${user}`

/** One page in the order of time, ties by id. */
export async function trailPage(
  db: Handle,
  filter: TrailFilter,
  { results, page, after, descending }: TrailPage,
): Promise<FoundEntry[]> {
  const direction = descending ? sql`desc` : sql`asc`
  const compare = descending ? sql`<` : sql`>`
  const behind =
    after === undefined
      ? sql``
      : sql`and (entry.end_time, entry.id) ${compare} (select end_time, id from audit_entry where id = ${after})`
  const { rows } = await sql<FoundEntry>`
    select entry.id, place.log_index, entry.leaf, entry.actor
    from (select * from audit_entry entry where ${conditions(filter)} ${behind}
      order by entry.end_time ${direction}, entry.id ${direction}
      limit ${results} offset ${after === undefined ? (page - 1) * results : 0}) entry
    left join audit_leaf place on place.entry_id = entry.id
    order by entry.end_time ${direction}, entry.id ${direction}`.execute(db)
  return rows
}

/** How many there are, up to one more than are counted. */
export async function countTrail(db: Handle, filter: TrailFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from (select from audit_entry entry where ${conditions(filter)} limit ${countedMost + 1}) found`.execute(db)
  return rows[0]?.count ?? 0
}

export interface DayCount {
  day: string
  done: number
  failed: number
}

/** By days of the zone; days without an entry are left out. */
export async function countDays(db: Handle, filter: TrailFilter, zone: string): Promise<DayCount[]> {
  const day = sql`to_char(to_timestamp(entry.end_time / 1000) at time zone ${zone}::text, 'YYYY-MM-DD')`
  const { rows } = await sql<DayCount>`
    select ${day} as day, count(*) filter (where status = 0)::integer as done,
      count(*) filter (where status = -1)::integer as failed
    from audit_entry entry where ${conditions(filter)} group by 1 order by 1`.execute(db)
  return rows
}

export interface LogRange {
  from: number
  /** Not included. */
  to: number
  /** Of the leaves together. */
  bytes: number
}

/** The smallest stretch of the log without a gap that has all entries of this time; empty where there are none. */
export async function rangeOfTime(
  db: Handle,
  companyId: number,
  { from, until }: { from: number; until: number },
): Promise<LogRange> {
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

/** Leaves by their places, from `from` up to `to`, which is not included. */
export async function leavesFrom(
  db: Handle,
  companyId: number,
  { from, to, most }: { from: number; to: number; most: number },
): Promise<PlacedLeaf[]> {
  const { rows } = await sql<PlacedLeaf>`
    select place.log_index, entry.code, entry.leaf
    from audit_leaf place join audit_entry entry on entry.id = place.entry_id
    where place.company_id = ${companyId} and place.log_index >= ${from} and place.log_index < ${to}
    order by place.log_index limit ${most}`.execute(db)
  return rows
}
