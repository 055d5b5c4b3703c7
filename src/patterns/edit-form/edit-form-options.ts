import type { Intent, RowRef, VersionedRow } from '#contract/endpoint.ts'
import type { ActingChange } from '#contract/staff/acting-changes.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { FormValues } from '#patterns/edit-form/form-values.ts'

/** A problem of one field, in the format of `domain/checks` and of the server's refusals. */
export interface FieldFault {
  field: string
  code: string
}

export interface FormWrite<Row extends VersionedRow, Fields> {
  /** The row that the form was opened with, or the current row after a conflict. Null for a new record. */
  row: OverlaidRow<Row> | null
  fields: Fields
  changes: Partial<Fields>
  options: CallOptions
}

export interface SavedForm<Fields> {
  /** Id of the record. `~{intent}` while the write is queued; null if the server did not return it. */
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
  /** Identifies the form. Its values are kept in memory under this name while the user has to log in again. */
  name: string
  /** The write that the form sends, if a consent may allow it while the user acts for a customer (decision 116). */
  actingCall?: ActingChange | undefined
  /** Null for a new record. */
  row: OverlaidRow<Row> | null
  /** Initial values if they differ from the row, for example of a refused write or a copy. */
  initialValues?: Values
  /** A write that was refused earlier. Saving again uses the same intent (protocol 20). */
  refusedWrite?: { intent: Intent; problem: Problem | null } | null
  toValues: (row: Row | null) => Values
  /** Converts input values to fields: trimmed and typed, without locked fields. */
  fromValues: (values: Values) => Fields
  /** Fields that nobody may change in this row. They are never sent. */
  getLockedFields?: (row: Row) => ReadonlySet<keyof Fields>
  /** Returns the fields that differ. Needed where comparing JSON is slow or wrong, for example in large tables. */
  getChanges?: (fields: Fields, baseFields: Fields) => Partial<Fields>
  check: (fields: Fields, changes: Partial<Fields>) => readonly Fault[]
  /** Returns faults that only the device or the server can find. Runs before the write is sent. */
  checkBeforeSave?: (fields: Fields) => Promise<readonly Fault[]>
  formatFault: (fault: Fault) => string
  /** Returns the input that shows a fault. Defaults to the input with the field's name. */
  getInputName?: (fault: Fault) => string
  /** Returns the faults of a refusal. Needed only if they are not the fields that the refusal lists. */
  findFaults?: (problem: Problem) => readonly Fault[]
  /** Returns whether the form has an input for the fault. Defaults to whether a value has the field's name. */
  hasInput?: (fault: Fault) => boolean
  save: (write: FormWrite<Row, Fields>) => AppThunk<CallResult<unknown>>
  /** Called after the record was saved, even if the user has left the form meanwhile. It must not navigate. */
  onSaved?: (saved: SavedForm<Fields>) => void
  /**
   * Leaves the form after `onSaved`: closes it or navigates. Without it, the form stays open. It is not called if the user has left the form
   * meanwhile, or has followed a link while the form was being saved.
   */
  onLeave?: (saved: SavedForm<Fields>) => void
  /** Whether the form follows changes of the row while it has no unsaved input. For a form that stays open after saving. */
  followsRow?: boolean
  /** Whether the form can be saved without changes, for example a copy of another record. */
  canSaveUnchanged?: boolean
  /** For values with their own reducer. After a new login they are restored from drafts, not by this form. */
  valuesState?: readonly [values: Values, setValues: (values: Values) => void]
  /** Shows faults at the inputs. Replaces the default, which marks inputs by their names. */
  showFaults?: (faults: readonly Fault[]) => void
  rebase?: (values: Values, baseValues: Values, currentValues: Values) => Values
  texts: {
    /** Name of the action that saves a new record, for example "Create user". */
    createAction?: string
    submit: string
    saving: string
    unchanged: string
    updated?: string
    /** Returns the name of the record, for the message that its change waits. */
    getName?: (fields: Fields) => string
    /** Returns a link to the new record, shown after it was saved. */
    getCreatedLink?: (saved: SavedForm<Fields>) => { label: string; path: string } | undefined
  }
}
