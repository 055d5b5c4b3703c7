/** Builds SQL from the list specification of an endpoint (`list`). The device applies the same specification to its rows (protocol 36). */
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { normaliseText } from '#domain/text.ts'
import type { Endpoint, ListSpec, ListFilter } from '#contract/endpoint.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

/** Column of each wire field. `folded` is the column with its sort key. */
export type ListColumns = Record<
  string,
  Expression<unknown> | { value: Expression<unknown>; folded: Expression<unknown> }
>

export interface ListPageQuery {
  results: number
  page: number
  sortField?: string | undefined
  sortOrder?: 'asc' | 'desc' | 'ascend' | 'descend' | undefined
  [filter: string]: unknown
}

interface RowPage<R> {
  count: number
  rows: R[]
}

export interface RowChanges<R> {
  changed: R[]
  /** Ids of deleted rows. */
  gone: number[]
  /** Change number up to which the changes are complete. */
  upto: number
}

/** `Change` is `null` for a list without change numbers: devices store only the pages that were read. */
export interface ListReads<Scope, R, Change extends number | null = number> {
  /** Returns the latest change number. Call it before reading the rows that are returned with the number. */
  readLatestChange(db: DatabaseHandle, scope: Scope): Promise<Change>
  readPage(db: DatabaseHandle, scope: Scope, query: ListPageQuery): Promise<RowPage<R>>
  /** If `since` is null, returns all rows. Throws GONE for a number that is too old or unknown. */
  readChanges(db: DatabaseHandle, scope: Scope, since: number | null): Promise<RowChanges<R>>
  readRowsAfter(db: DatabaseHandle, scope: Scope, id: number, limit: number): Promise<R[]>
}

/**
 * Returns one page. Rows with equal values are sorted by id. `hasNoNulls` means that no sort column is ever null, so an index serves both
 * directions.
 */
export async function readListPage<T extends keyof DatabaseTables, R>(
  source: SelectQueryBuilder<DatabaseTables, T, R>,
  { list, name }: Pick<Endpoint, 'list' | 'name'>,
  columns: ListColumns & { id: Expression<unknown> },
  query: ListPageQuery,
  { hasNoNulls = false } = {},
): Promise<RowPage<R>> {
  if (!list) throw new Error(`${name} is not the call of a list`)
  const filteredQuery = buildConditions(list, columns, query).reduce(
    (partialQuery, condition) => partialQuery.where(condition),
    source,
  )
  const direction = getDirection(list, query)
  const offset = (query.page - 1) * query.results
  const nullsOrder = hasNoNulls ? sql`` : sql` nulls last`
  const rows = await filteredQuery
    .orderBy(sql`${buildSortExpression(list, columns, query.sortField ?? list.sort[0])} ${direction}${nullsOrder}`)
    .orderBy(sql`${columns.id} ${direction}`)
    .limit(query.results)
    .offset(offset)
    .execute()
  // If the page is not full, the number of rows follows from the page. This does not apply to an empty page after the first, which may be
  // beyond the end.
  if (rows.length < query.results && (rows.length > 0 || offset === 0)) return { count: offset + rows.length, rows }
  const countQuery = filteredQuery.clearSelect().select(sql<number>`count(*)`.as('count'))
  const { count } = await countQuery.executeTakeFirstOrThrow()
  return { count, rows }
}

function getDirection(list: ListSpec, { sortField, sortOrder }: ListPageQuery) {
  const order = sortOrder ?? (sortField === undefined ? list.sort[1] : 'asc')
  return order.startsWith('desc') ? sql`desc` : sql`asc`
}

/** Text is sorted by a key that the portal normalises, compared as bytes, so the database's collation has no effect. */
function buildSortExpression(list: ListSpec, columns: ListColumns, field: string): Expression<unknown> {
  return list.sorts[field] === 'text' ? getSortKeyColumn(columns, field) : getColumnValue(columns, field)
}

function findColumn(columns: ListColumns, field: string) {
  const column = columns[field]
  if (!column) throw new Error(`no column is defined for the field ${field}`)
  return column
}

function getColumnValue(columns: ListColumns, field: string): Expression<unknown> {
  const column = findColumn(columns, field)
  return 'folded' in column ? column.value : column
}

function getSortKeyColumn(columns: ListColumns, field: string): Expression<unknown> {
  const column = findColumn(columns, field)
  if ('folded' in column) return column.folded
  throw new Error(`the field ${field} has no folded column`)
}

function buildConditions(list: ListSpec, columns: ListColumns, query: ListPageQuery): Expression<SqlBool>[] {
  return Object.entries(list.filters).flatMap(([name, filter]) => {
    const value = query[name]
    if (filter.kind === 'shows')
      return shouldShowHidden(list, query, name, filter) ? [] : [buildExclusion(columns, filter)]
    if (filter.kind === 'hides') return value === true ? [buildExclusion(columns, filter)] : []
    return value === undefined ? [] : [buildCondition(columns, filter, value)]
  })
}

/** Returns whether hidden rows are included: the parameter requests them, or another filter selects exactly the hidden value. */
function shouldShowHidden(
  list: ListSpec,
  query: ListPageQuery,
  name: string,
  hiddenFilter: ListFilter & { kind: 'shows' },
): boolean {
  if (query[name] === true) return true
  return Object.entries(list.filters).some(
    ([otherName, filter]) =>
      filter.kind === 'equal' && filter.column === hiddenFilter.column && query[otherName] === hiddenFilter.value,
  )
}

const buildExclusion = (columns: ListColumns, filter: ListFilter & { kind: 'shows' | 'hides' }) =>
  sql<SqlBool>`${getColumnValue(columns, filter.column)} is distinct from ${filter.value}`

function buildCondition(
  columns: ListColumns,
  filter: Exclude<ListFilter, { kind: 'shows' | 'hides' }>,
  value: unknown,
): Expression<SqlBool> {
  switch (filter.kind) {
    case 'equal': {
      const { column, or } = filter
      if (!or || or.value !== value) return sql`${getColumnValue(columns, column)} = ${value}`
      return sql`(${getColumnValue(columns, column)} = ${value} or ${getColumnValue(columns, or.column)} in (${sql.join(or.values)}))`
    }
    case 'from':
      return sql`${getColumnValue(columns, filter.column)} >= ${value}`
    case 'until':
      return sql`${getColumnValue(columns, filter.column)} <= ${value}`
    case 'contains': {
      // Uses position(), not LIKE, so that % and _ in the user's input are plain text.
      const searchText = normaliseText(String(value))
      const matches = filter.columns.map(
        (field) => sql`position(${searchText} in ${getSortKeyColumn(columns, field)}) > 0`,
      )
      return sql`(${sql.join(matches, sql` or `)})`
    }
  }
}
