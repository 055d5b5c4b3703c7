/** Sorts the fields of a conflict: those that the user decides, and those that are already merged (protocol 14). */
import { isSameContent } from '#domain/equal-values.ts'
import type { ConflictComparison } from '#request/call-results.ts'

export interface ConflictField {
  field: string
  /** Undefined if it was not recorded. */
  baseValue: unknown
  localValue: unknown
  serverValue: unknown
}

export interface SortedConflict {
  /** Changed by both sides. */
  conflictingFields: ConflictField[]
  localOnlyFields: ConflictField[]
  serverOnlyFields: ConflictField[]
}

/** The server sets these fields itself, so they are not a person's change. */
const serverFields = ['id', 'row_version', 'update_time', 'create_time']

export function sortFields({
  baseValues: base,
  ownValues: mine,
  serverValues: theirs,
  fields,
}: ConflictComparison): SortedConflict {
  const toConflictField = (field: string): ConflictField => ({
    field,
    baseValue: base?.[field],
    localValue: mine?.[field],
    serverValue: theirs?.[field],
  })
  const changedFields = Object.keys(mine ?? {})
  const unchangedFields = Object.keys(base ?? {}).filter(
    (field) => !changedFields.includes(field) && !serverFields.includes(field),
  )
  return {
    conflictingFields: fields.map(toConflictField),
    localOnlyFields: changedFields
      .map(toConflictField)
      .filter(
        ({ field, localValue: ownValue, serverValue: otherValue }) =>
          !fields.includes(field) && !isSameContent(ownValue, otherValue),
      ),
    serverOnlyFields: unchangedFields
      .map(toConflictField)
      .filter(({ baseValue, serverValue: otherValue }) => !isSameContent(baseValue, otherValue)),
  }
}

export type ConflictChoice = 'mine' | 'theirs'

/** Returns the fields whose local value replaces the server's. With an empty list, the server's row stays as it is. */
export const getFieldsToKeep = (
  { conflictingFields, localOnlyFields }: SortedConflict,
  selections: Readonly<Record<string, ConflictChoice>>,
): string[] =>
  [...conflictingFields.filter(({ field }) => selections[field] === 'mine'), ...localOnlyFields].map(
    ({ field }) => field,
  )
