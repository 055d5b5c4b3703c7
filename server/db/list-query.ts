/**
 * A list endpoint's own words (`fills`) and a parsed query, as SQL. The device reads the same words over its rows, so
 * both show the same page (protocol 36).
 */
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { foldText } from '#domain/text.ts'
import type { ListSpec, Filter } from '#contract/endpoint.ts'
import type { Tables } from '#server/db/tables/tables.ts'

/** Where a field of the wire stands; `folded`: the column that holds its sort key. */
export type Columns = Record<string, Expression<unknown> | { value: Expression<unknown>; folded: Expression<unknown> }>

export interface ListQuery {
  results: number
  page: number
  sortField?: string | undefined
  sortOrder?: 'asc' | 'desc' | 'ascend' | 'descend' | undefined
  [filter: string]: unknown
}

export interface Page<R> {
  count: number
  rows: R[]
}

export interface Listed {
  list: ListSpec
  columns: Columns
  /** Breaks ties. */
  id: Expression<unknown>
  /** No column that is sorted by is ever null: an index then serves both directions. */
  noNulls?: boolean
}

/** `tables` joins what the rows and filters need. */
export async function readPage<T extends keyof Tables, R>(
  tables: SelectQueryBuilder<Tables, T, R>,
  { list, columns, id, noNulls = false }: Listed,
  query: ListQuery,
): Promise<Page<R>> {
  const filtered = conditions(list, columns, query).reduce((sofar, condition) => sofar.where(condition), tables)
  const direction = orderOf(list, query)
  const skipped = (query.page - 1) * query.results
  const nulls = noNulls ? sql`` : sql` nulls last`
  const rows = await filtered
    .orderBy(sql`${sortKey(list, columns, query.sortField ?? list.sort[0])} ${direction}${nulls}`)
    .orderBy(sql`${id} ${direction}`)
    .limit(query.results)
    .offset(skipped)
    .execute()
  // A page that is not full tells the count by itself, unless it lies beyond the end.
  if (rows.length < query.results && (rows.length > 0 || skipped === 0)) return { count: skipped + rows.length, rows }
  const counted = filtered.clearSelect().select(sql<number>`count(*)`.as('count'))
  const { count } = await counted.executeTakeFirstOrThrow()
  return { count, rows }
}

function orderOf(list: ListSpec, { sortField, sortOrder }: ListQuery) {
  const chosen = sortOrder ?? (sortField === undefined ? list.sort[1] : 'asc')
  return chosen.startsWith('desc') ? sql`desc` : sql`asc`
}

/** Text sorts by the key that our own code folded, compared as bytes: the engine's collation has no say. */
function sortKey(list: ListSpec, columns: Columns, field: string): Expression<unknown> {
  return list.sorts[field] === 'text' ? folded(columns, field) : value(columns, field)
}

function at(columns: Columns, field: string) {
  const column = columns[field]
  if (!column) throw new Error(`No column stands for ${field}`)
  return column
}

function value(columns: Columns, field: string): Expression<unknown> {
  const column = at(columns, field)
  return 'folded' in column ? column.value : column
}

function folded(columns: Columns, field: string): Expression<unknown> {
  const column = at(columns, field)
  if ('folded' in column) return column.folded
  throw new Error(`${field} has no folded column`)
}

function conditions(list: ListSpec, columns: Columns, query: ListQuery): Expression<SqlBool>[] {
  return Object.entries(list.filters).flatMap(([name, filter]) => {
    const given = query[name]
    if (filter.kind === 'shows') return showsHidden(list, query, name, filter) ? [] : [isNot(columns, filter)]
    return given === undefined ? [] : [condition(columns, filter, given)]
  })
}

/** Hidden rows show when the parameter says so, or when another filter asks for exactly that value. */
function showsHidden(list: ListSpec, query: ListQuery, name: string, hidden: Filter & { kind: 'shows' }): boolean {
  if (query[name] === true) return true
  return Object.entries(list.filters).some(
    ([other, filter]) => filter.kind === 'equal' && filter.column === hidden.column && query[other] === hidden.value,
  )
}

const isNot = (columns: Columns, filter: Filter & { kind: 'shows' }) =>
  sql<SqlBool>`${value(columns, filter.column)} is distinct from ${filter.value}`

function condition(columns: Columns, filter: Exclude<Filter, { kind: 'shows' }>, given: unknown): Expression<SqlBool> {
  switch (filter.kind) {
    case 'equal': {
      const { column, or } = filter
      if (!or || or.value !== given) return sql`${value(columns, column)} = ${given}`
      return sql`(${value(columns, column)} = ${given} or ${value(columns, or.column)} in (${sql.join(or.values)}))`
    }
    case 'from':
      return sql`${value(columns, filter.column)} >= ${given}`
    case 'until':
      return sql`${value(columns, filter.column)} <= ${given}`
    case 'contains': {
      // position(), not LIKE: what the user types has no wildcards in it.
      const sought = foldText(String(given))
      const found = filter.columns.map((field) => sql`position(${sought} in ${folded(columns, field)}) > 0`)
      return sql`(${sql.join(found, sql` or `)})`
    }
  }
}
