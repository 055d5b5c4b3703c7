import { isSameContent } from '#domain/equal-values.ts'

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

/**
 * Returns the listed fields whose values differ. A row that did not exist before or no longer exists is passed as null. Only listed fields
 * are compared, so that no password, key or token can get into an entry by accident.
 */
export function findFieldChanges<F extends string>(
  previousRow: { readonly [K in F]?: unknown } | null,
  currentRow: { readonly [K in F]?: unknown } | null,
  fields: readonly F[],
): FieldChange[] {
  return fields
    .map((field) => ({ field, before: previousRow?.[field] ?? null, after: currentRow?.[field] ?? null }))
    .filter((change) => !isSameContent(change.before, change.after))
}
