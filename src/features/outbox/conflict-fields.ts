/** A conflict sorted by what is to be done about each field: to be chosen, or merged already (protocol 14). */
import { isSameContent } from '#domain/equal-values.ts'
import type { ConflictComparison } from '#request/call-results.ts'

export interface ConflictField {
  field: string
  /** Undefined: nobody noted it. */
  baseValue: unknown
  localValue: unknown
  serverValue: unknown
}

export interface SortedConflict {
  /** Both changed these. */
  conflictingFields: ConflictField[]
  localOnlyFields: ConflictField[]
  serverOnlyFields: ConflictField[]
}

/** Of the server's own making: not a person's change. */
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

/** The fields of mine that are to be written over theirs; empty: theirs stays as it is. */
export const getFieldsToKeep = (
  { conflictingFields, localOnlyFields }: SortedConflict,
  selections: Readonly<Record<string, ConflictChoice>>,
): string[] =>
  [...conflictingFields.filter(({ field }) => selections[field] === 'mine'), ...localOnlyFields].map(
    ({ field }) => field,
  )
