/** Defines the database of a sample instance. All tasks of the instance share it. */

export type StoreValue = null | string | number
export type StoreRow = Record<string, unknown>

/** The few words in which the two engines differ. */
export interface StoreDialect {
  /** Compares a column with the next value, ignoring the case of letters. */
  isSameText(column: string): string
  /** Operator that matches a pattern, ignoring the case of letters. */
  like: string
  /** Sorts by a text column, ignoring the case of letters. */
  orderByText(column: string): string
}

/** Statements have a `?` for each value. */
export interface StoreQueries {
  readonly dialect: StoreDialect
  all(statement: string, ...values: readonly StoreValue[]): Promise<StoreRow[]>
  get(statement: string, ...values: readonly StoreValue[]): Promise<StoreRow | undefined>
  /** Returns the number of changed rows. */
  run(statement: string, ...values: readonly StoreValue[]): Promise<number>
}

export interface SampleStore extends StoreQueries {
  /** Runs `work` in a transaction. Other tasks write before or after it, never during it. `work` waits for its queries only. */
  runInTransaction<T>(work: (queries: StoreQueries) => Promise<T>): Promise<T>
  close(): Promise<void>
}
