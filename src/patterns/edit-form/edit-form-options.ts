import type { Intent, RowRef, VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { FormValues } from '#patterns/edit-form/form-values.ts'

/** What is wrong with one field: as `domain/checks` and the server's refusals say it. */
export interface FieldFault {
  field: string
  code: string
}

/** A write as the form sends it. */
export interface FormWrite<Row extends VersionedRow, Fields> {
  /** What the form was opened on, or the row as it was at the last conflict; null: a new record. */
  row: OverlaidRow<Row> | null
  fields: Fields
  /** Fields that differ from the row's. */
  changes: Partial<Fields>
  /** For the call: its intent and what it is based on. */
  options: CallOptions
}

export interface SavedForm<Fields> {
  /** Of the record; `~{intent}` while it waits; null: the server did not say. */
  id: RowRef | null
  fields: Fields
  isQueued: boolean
}

export interface EditFormOptions<
  Row extends VersionedRow,
  Values extends FormValues,
  Fields extends object,
  Fault extends FieldFault,
> {
  /** Identifies the form: its values are kept in memory under it while its user has to sign in again. */
  name: string
  /** The row to edit; null: a new record. */
  row: OverlaidRow<Row> | null
  /** What the inputs show at first, where that is not the row: a refused write, a copy. */
  initialValues?: Values
  /** A write that was refused earlier: saved again it keeps its intent (protocol 20). */
  refusedWrite?: { intent: Intent; problem: Problem | null } | null
  /** The inputs of a row, or of a new record. */
  toValues: (row: Row | null) => Values
  /** What the inputs mean: trimmed, typed, without what is locked. */
  fromValues: (values: Values) => Fields
  /** Fields that nobody may change in this row: they are never sent. */
  getLockedFields?: (row: Row) => ReadonlySet<keyof Fields>
  /** Fields that differ, where comparing their JSON is slow or wrong: large tables. */
  getChanges?: (fields: Fields, baseFields: Fields) => Partial<Fields>
  check: (fields: Fields, changes: Partial<Fields>) => readonly Fault[]
  /** Faults that only the device or the server knows, before the write is sent. */
  checkBeforeSave?: (fields: Fields) => Promise<readonly Fault[]>
  formatFault: (fault: Fault) => string
  /** Which input shows a fault; the one of its field's name unless it says another. */
  getInputName?: (fault: Fault) => string
  /** Faults of a refusal, where they are not the fields that it lists. */
  findFaults?: (problem: Problem) => readonly Fault[]
  /** Whether the form has an input for the fault; without it, whether a value has that name. */
  hasInput?: (fault: Fault) => boolean
  save: (write: FormWrite<Row, Fields>) => AppThunk<CallResult<unknown>>
  /** Leads away; without it the form stays open. */
  onSaved?: (saved: SavedForm<Fields>) => void
  /** Follows the row while nothing is typed, for a form that stays open after it was saved. */
  followsRow?: boolean
  /** May be saved as it is: a copy of another record. */
  canSaveUnchanged?: boolean
  /** The values have a reducer of their own: large tables. After a new sign-in its drafts bring them back, not this form. */
  valuesState?: readonly [values: Values, setValues: (values: Values) => void]
  /** In place of marking inputs by their names. */
  showFaults?: (faults: readonly Fault[]) => void
  rebase?: (values: Values, baseValues: Values, currentValues: Values) => Values
  texts: {
    /** What is done by saving a new record: "Create user". */
    createAction?: string
    submit: string
    saving: string
    unchanged: string
    /** After a record was changed, in place of "Updated successfully". */
    updated?: string
    /** After a new record was saved: leads to it. */
    getCreatedLink?: (saved: SavedForm<Fields>) => { label: string; path: string } | undefined
  }
}
