import type { Expression, ExpressionBuilder, FilterObject, KyselyTypeError, SqlBool } from 'kysely'

/** Is `unknown` if the query has these columns and their types match the values, otherwise an error type. */
type CheckedColumns<DB, TB extends keyof DB, C> =
  C extends FilterObject<DB, TB>
    ? keyof C extends keyof FilterObject<DB, TB>
      ? unknown
      : KyselyTypeError<'the query has no such column'>
    : KyselyTypeError<'a value is not of the type of its column'>

/**
 * Returns the condition that each column has its value; null means `is null`. Throws if a value is undefined or if there are no columns,
 * because Kysely's own `and` ignores a column without a value, so that every row would match. Booleans are compared by `=`, because
 * PostgreSQL does not use an index `where not deleted` for `deleted is false`.
 */
export const hasValues =
  <const C extends object>(columns: C) =>
  <DB, TB extends keyof DB>(where: ExpressionBuilder<DB, TB> & CheckedColumns<DB, TB, C>): Expression<SqlBool> => {
    const entries = Object.entries(columns)
    if (entries.length === 0) throw new Error('the condition does not name a column')
    return where.and(
      entries.map(([column, value]) => {
        if (value === undefined) throw new Error(`no value for the column ${column}`)
        return where(column as never, value === null ? 'is' : '=', value as never)
      }),
    )
  }
