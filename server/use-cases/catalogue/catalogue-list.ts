import type { ClientType } from '#domain/access.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { readCatalogueChangeNumber } from '#server/db/catalogue/catalogue.ts'
import type { CatalogueSource } from '#server/db/catalogue/catalogue-source.ts'
import type { ListPageQuery } from '#server/db/list-query.ts'
import { getVisibleTypes, requireType } from '#server/use-cases/orders/client-types.ts'

interface CatalogueListInput {
  query: ListPageQuery & { type?: ClientType | undefined }
}

/** A list of the catalogue for its endpoint: rows of the client types that the caller may see. Throws FORBIDDEN for another type. */
export const createCatalogueList = <R, Row extends { id: number }>(
  source: CatalogueSource<R>,
  toRow: (context: UseCaseContext, record: R) => Row,
) => ({
  readLatestChange: ({ db }: UseCaseContext) => readCatalogueChangeNumber(db),

  async readPage(context: UseCaseContext, { query }: CatalogueListInput) {
    if (query.type) requireType(context.caller, query.type)
    const { count, rows } = await source.readPage(context.db, getVisibleTypes(context.caller), query)
    return { body: { count, data: rows.map((record) => toRow(context, record)) } }
  },

  async readChanges(context: UseCaseContext, _input: unknown, since: number | null) {
    const { changed, ...rest } = await source.readChanges(context.db, getVisibleTypes(context.caller), since)
    return { changed: changed.map((record) => toRow(context, record)), ...rest }
  },

  async readRowsAfter(context: UseCaseContext, _input: unknown, id: number, maxRows: number) {
    const records = await source.listAfter(context.db, getVisibleTypes(context.caller), id, maxRows)
    return records.map((record) => toRow(context, record))
  },
})
