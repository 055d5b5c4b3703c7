/** Which client type a request is about: mma is the delete level's alone (Z-33). */
import { type Caller, type ClientType, isDeleteLevel } from '#domain/access.ts'
import type { VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import { createForbiddenProblem } from '#server/problems/problem-error.ts'

/** Throws FORBIDDEN. */
export function requireType(caller: Caller, type: ClientType): void {
  if (type !== 'saas' && !isDeleteLevel(caller)) throw createForbiddenProblem()
}

/** Whether a row of that type is there for the caller. */
export const canSeeType = (caller: Caller, { type }: { type: ClientType }): boolean =>
  [null, type].includes(getVisibleTypes(caller))

/** Of lists that were asked for without a type. */
export const getVisibleTypes = (caller: Caller): VisibleClientTypes => (isDeleteLevel(caller) ? null : 'saas')

/** Returns the query of a list. Throws FORBIDDEN where it filters by a type that the caller may not see. */
export function requireQueriedType<Query extends { type?: ClientType | undefined }>(
  { caller }: { caller: Caller },
  query: Query,
): Query {
  if (query.type) requireType(caller, query.type)
  return query
}
