interface RowQuery<Row> {
  executeTakeFirst(): Promise<Row | undefined>
}

/** Returns the first row of the query, or null if no row matches. */
export const findRow = async <Row>(query: RowQuery<Row>): Promise<Row | null> =>
  (await query.executeTakeFirst()) ?? null

export const hasRow = async (query: RowQuery<unknown>): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined
