/** Which client type a request is about: mma is the delete level's alone (Z-33). */
import { type Caller, type ClientType, isDeleteLevel } from '#domain/access.ts'
import type { VisibleTypes } from '#server/db/catalogue/catalogue.ts'
import { forbidden } from '#server/problems/problem-error.ts'

/** Throws FORBIDDEN. */
export function requireType(caller: Caller, type: ClientType): void {
  if (type !== 'saas' && !isDeleteLevel(caller)) throw forbidden()
}

/** Whether a row of that type is there for the caller. */
export const isVisible = (caller: Caller, { type }: { type: ClientType }): boolean =>
  [null, type].includes(visibleTypes(caller))

/** Of lists that were asked for without a type. */
export const visibleTypes = (caller: Caller): VisibleTypes => (isDeleteLevel(caller) ? null : 'saas')
