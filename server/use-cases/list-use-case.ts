import type { Endpoint, OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { ListUseCase, UseCaseContext } from '#server/context/context.ts'
import type { ListPageQuery, ListReads } from '#server/db/list-query.ts'

export type ListRow<E> = Extract<OutputOf<E>, { count: number }> extends { data: (infer Row)[] } ? Row : never

interface ListOptions<E extends Endpoint, Scope, Row> {
  reads: ListReads<Scope, Row, number | null>
  /** Checks that the caller may read the list, and runs `read` for the rows that they may see. Throws NOT_FOUND. */
  runInScope<T>(context: UseCaseContext, input: ParsedInputOf<E>, read: (scope: Scope) => Promise<T>): Promise<T>
  /** The result may have more fields than the row of the contract; the output schema removes them. */
  toRow(context: UseCaseContext, row: Row, scope: Scope): ListRow<E>
  /** Checks the filters of a page and returns its query. Throws FORBIDDEN for a filter that the caller may not use. */
  toPageQuery?(context: UseCaseContext, query: ParsedInputOf<E>['query']): ListPageQuery
}

export function createListUseCase<E extends Endpoint, Scope, Row>({
  reads,
  runInScope,
  toRow,
  toPageQuery = (_, query) => query as ListPageQuery,
}: ListOptions<E, Scope, Row>): ListUseCase<E> {
  const toRows = (context: UseCaseContext, rows: readonly Row[], scope: Scope) =>
    rows.map((row) => toRow(context, row, scope) as { id: number })
  return {
    readLatestChange: (context, input) =>
      runInScope(context, input, (scope) => reads.readLatestChange(context.db, scope)),
    async readPage(context, input) {
      const query = toPageQuery(context, input.query)
      return await runInScope(context, input, async (scope) => {
        const { count, rows } = await reads.readPage(context.db, scope, query)
        return { body: { count, data: toRows(context, rows, scope) } as OutputOf<E> }
      })
    },
    readChanges: (context, input, since) =>
      runInScope(context, input, async (scope) => {
        const { changed: changedRows, ...rest } = await reads.readChanges(context.db, scope, since)
        return { changed: toRows(context, changedRows, scope), ...rest }
      }),
    readRowsAfter: (context, input, id, limit) =>
      runInScope(context, input, async (scope) =>
        toRows(context, await reads.readRowsAfter(context.db, scope, id, limit), scope),
      ),
  }
}
