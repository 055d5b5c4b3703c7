interface RowQuery<Row> {
  executeTakeFirst(): Promise<Row | undefined>
}

/** Returns null where no row matches. */
export const findRow = async <Row>(query: RowQuery<Row>): Promise<Row | null> =>
  (await query.executeTakeFirst()) ?? null

export const hasRow = async (query: RowQuery<unknown>): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined
