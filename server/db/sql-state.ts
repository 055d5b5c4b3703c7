/**
 * Returns the SQLSTATE of a database error, or the code of a network error such as ECONNREFUSED. Returns null for an error without a code.
 */
export const getSqlState = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
