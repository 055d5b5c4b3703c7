/** What an act changed, field by field, as its entry keeps it. */
import { isSameContent } from '#domain/equal-values.ts'

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

/**
 * The named fields whose value differs; null for a row that was not there before, or is not there any more. Only what is named is ever
 * compared, so that no password, key or token can come into an entry by itself.
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
