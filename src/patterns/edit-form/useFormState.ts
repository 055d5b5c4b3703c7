import { useLayoutEffect, useRef, useState } from 'react'
import type { Intent, VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import type { EditFormOptions, FieldFault } from '#patterns/edit-form/edit-form-options.ts'
import { type FormValues, getChanges, rebaseValues } from '#patterns/edit-form/form-values.ts'

interface UnsavedForm<Row extends VersionedRow, Values> {
  row: OverlaidRow<Row> | null
  values: Values
  intent: Intent | null
}
const unsavedForms = createUnsavedForms<UnsavedForm<VersionedRow, FormValues>>()

/** Returns the values to restore after a new login, or null. If they exist, the page need not load its row first. */
export const useUnsavedForm = <Row extends VersionedRow, Values extends FormValues>(name: string) =>
  unsavedForms.useUnsavedForm(name) as UnsavedForm<Row, Values> | null

/**
 * The state of a form. It is kept in memory while the user has to log in again. The message of an earlier refusal is not kept, because the
 * values may have changed since.
 */
export function useFormState<
  Row extends VersionedRow,
  Values extends FormValues,
  Fields extends object,
  Fault extends FieldFault,
>(options: EditFormOptions<Row, Values, Fields, Fault>) {
  const { row, toValues, fromValues, rebase = rebaseValues, valuesState } = options
  const unsavedForm = useUnsavedForm<Row, Values>(options.name)
  const [initialForm] = useState(() =>
    unsavedForm && !valuesState ? { ...unsavedForm, refusal: null } : openForm(options),
  )
  const [base, setBase] = useState(() => ({
    row: initialForm.row,
    values: toValues(initialForm.row?.row ?? null),
    isSaved: false,
  }))
  const ownState = useState(initialForm.values)
  const [values, setValues] = valuesState ?? ownState
  const [intent, setIntent] = useState(initialForm.intent)
  /**
   * Other values of an existing record are another write: the earlier one may have taken effect although its response was lost, and its
   * outcome would be the answer to its intent. The version that the form is based on prevents that the new write overwrites it unseen.
   */
  function endIntent() {
    if (base.row && !options.refusedWrite) setIntent(null)
  }
  // Latest values, including those typed while a write is being sent. The closure of `submit` does not have them.
  const latestValues = useRef(values)
  useLayoutEffect(() => {
    latestValues.current = values
  })
  const fields = fromValues(values)
  const getFieldChanges = (newFields: Fields) => {
    const baseFields = fromValues(base.values)
    return options.getChanges
      ? options.getChanges(newFields, baseFields)
      : getChanges(newFields, baseFields, findLockedFields(options, base.row))
  }
  const changes = getFieldChanges(fields)
  const hasChanges = Object.keys(changes).length > 0
  // A new record that was refused is treated as changed, so that it is not lost.
  const isDirty = hasChanges || (base.row === null && Boolean(options.refusedWrite) && !base.isSaved)
  unsavedForms.useKeepUnsavedForm(options.name, isDirty && !valuesState ? { row: base.row, values, intent } : null)

  // A new row has arrived. The form shows it, unless it contains changes that are not saved.
  const isFollowing = options.followsRow && (!hasChanges || base.isSaved)
  if (isFollowing && row && row !== base.row) {
    const rowValues = toValues(row.row)
    setBase({ row, values: rowValues, isSaved: false })
    // Typed values that change no field (extra blanks) are dropped. Values typed after saving are kept.
    setValues(base.isSaved ? rebase(values, base.values, rowValues) : rowValues)
  }
  return {
    base,
    setBase,
    values,
    setValues,
    getLatestValues: () => latestValues.current,
    changeValues(changedValues: Partial<Values>): Values {
      const nextValues = { ...latestValues.current, ...changedValues }
      latestValues.current = nextValues
      endIntent()
      setValues(nextValues)
      return nextValues
    },
    fields,
    changes,
    getFieldChanges,
    isDirty,
    intent,
    setIntent,
    endIntent,
    refusal: initialForm.refusal,
  }
}

const openForm = <Row extends VersionedRow, Values extends FormValues>({
  row,
  initialValues,
  toValues,
  refusedWrite,
}: Pick<
  EditFormOptions<Row, Values, never, never>,
  'row' | 'initialValues' | 'toValues' | 'refusedWrite'
>): UnsavedForm<Row, Values> & { refusal: Problem | null } => ({
  row,
  values: initialValues ?? toValues(row?.row ?? null),
  intent: refusedWrite?.intent ?? null,
  refusal: refusedWrite?.problem ?? null,
})

const findLockedFields = <Row extends VersionedRow, Fields extends object>(
  { getLockedFields }: Pick<EditFormOptions<Row, FormValues, Fields, never>, 'getLockedFields'>,
  row: OverlaidRow<Row> | null,
) => (row ? getLockedFields?.(row.row) : undefined)
