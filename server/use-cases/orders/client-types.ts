/** Decides which client types a caller may use: `mma` is for callers with the delete level only (Z-33). */
import { type Caller, type ClientType, isDeleteLevel } from '#domain/access.ts'
import type { VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import { createForbiddenProblem } from '#server/problems/problem-error.ts'

/** Throws FORBIDDEN if the caller may not use the type. */
export function requireType(caller: Caller, type: ClientType): void {
  if (type !== 'saas' && !isDeleteLevel(caller)) throw createForbiddenProblem()
}

export const canSeeType = (caller: Caller, { type }: { type: ClientType }): boolean =>
  [null, type].includes(getVisibleTypes(caller))

export const getVisibleTypes = (caller: Caller): VisibleClientTypes => (isDeleteLevel(caller) ? null : 'saas')

/** Returns the query of a list. Throws FORBIDDEN if it filters by a type that the caller may not see. */
export function requireQueriedType<Query extends { type?: ClientType | undefined }>(
  { caller }: { caller: Caller },
  query: Query,
): Query {
  if (query.type) requireType(caller, query.type)
  return query
}
