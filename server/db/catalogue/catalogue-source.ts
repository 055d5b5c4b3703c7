/** A list of the catalogue as SQL: a page of it, what changed since a number, and all of it in pieces by id. */
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Endpoint } from '#contract/endpoint.ts'
import { readCatalogueChanges, type VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type ListColumns, type ListPageQuery, type RowPage, readListPage } from '#server/db/list-query.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

interface SourceOptions<T extends keyof DatabaseTables, R> {
  /** Rows of these client types, deleted ones too. */
  select: (db: DatabaseHandle, types: VisibleClientTypes) => SelectQueryBuilder<DatabaseTables, T, R>
  columns: ListColumns & { id: Expression<number> }
  /** Which of the rows are listed. */
  isListed?: Expression<SqlBool>
  /** Whether devices forget a row. Default: it is marked as deleted. */
  isDeleted?: (row: R) => boolean
}

export interface CatalogueSource<R> {
  readPage: (db: DatabaseHandle, types: VisibleClientTypes, query: ListPageQuery) => Promise<RowPage<R>>
  /** Throws GONE for a number of no known past. */
  readChanges: (
    db: DatabaseHandle,
    types: VisibleClientTypes,
    since: number | null,
  ) => Promise<{ changed: R[]; gone: number[]; upto: number }>
  listAfter: (db: DatabaseHandle, types: VisibleClientTypes, id: number, limit: number) => Promise<R[]>
}

export function createCatalogueSource<T extends keyof DatabaseTables, R extends { id: number; deleted: boolean }>(
  { name, list }: Endpoint,
  { select, columns, isListed = sql<boolean>`true`, isDeleted }: SourceOptions<T, R>,
): CatalogueSource<R> {
  if (!list) throw new Error(`${name} is no list`)
  const { id: idColumn } = columns
  const selectListed = (db: DatabaseHandle, types: VisibleClientTypes) => select(db, types).where(isListed)
  return {
    readPage: (db, types, query) => readListPage(selectListed(db, types), { list, columns, id: idColumn }, query),
    readChanges: (db, types, since) => readCatalogueChanges(db, select(db, types), since, isDeleted),
    listAfter: (db, types, id, limit) =>
      selectListed(db, types).where(idColumn, '>', id).orderBy(idColumn).limit(limit).execute(),
  }
}
