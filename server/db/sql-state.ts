/** Returns null for an error that does not come from the database. */
export const getSqlState = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
