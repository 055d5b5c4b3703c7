/** SQLSTATE of a database error; null for every other one. */
export const getSqlState = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
