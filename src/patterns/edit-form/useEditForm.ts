import { type FormEvent, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { getCurrentRow } from '#contract/current-row.ts'
import type { Intent, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem, getFieldProblems, type Problem } from '#contract/problem.ts'
import { getBaseVersion, type OverlaidRow } from '#local/lists/list-view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import { useDispatch, useSaveBlocked } from '#state/use-store.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type FormValues, getChanges, rebaseValues } from '#patterns/edit-form/form-values.ts'
import { createInputProps, type InputErrors } from '#patterns/edit-form/input-props.ts'

/** What is wrong with one field: as `domain/checks` and the server's refusals say it. */
interface FieldFault {
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
  /** The values are kept by their own reducer: large tables. */
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

interface UnsavedForm {
  row: OverlaidRow<VersionedRow> | null
  values: FormValues
  intent: Intent | null
}
const unsavedForms = createUnsavedForms<UnsavedForm>()

type SendState = { kind: 'idle' | 'sending' | 'queued' } | { kind: 'failed'; problem: Problem }

/** The problem of a used-up intent: the next save is a new write. */
const usedUpCodes = ['INTENT_DONE', 'INTENT_VOID']

const toSendState = (problem: Problem | null | undefined): SendState =>
  problem ? { kind: 'failed', problem } : { kind: 'idle' }

/** The server runs code that this page loads when it is first needed. */
const unreachableResult = (): CallResult<never> => ({
  kind: 'problem',
  problem: createLocalProblem('NEEDS_CONNECTION'),
})

/**
 * A form for one record: initial values, changes, checks, saving or queueing, conflicts, and what is said of each. It is spread into
 * `<PageForm {...form.formProps}>` or `<FormDrawer {...form.formProps}>`, which ask before typed values are lost.
 */
export function useEditForm<
  Row extends VersionedRow,
  Values extends FormValues,
  Fields extends object,
  Fault extends FieldFault = FieldFault,
>(options: EditFormOptions<Row, Values, Fields, Fault>) {
  const { row, toValues, fromValues, texts, refusedWrite = null, rebase = rebaseValues } = options
  const { t } = useTranslation('ui')
  const dispatch = useDispatch()
  const saveBlock = useSaveBlocked()
  const unsavedForm = unsavedForms.useUnsavedForm(options.name) as
    | (UnsavedForm & { row: typeof row; values: Values })
    | null
  const [base, setBase] = useState(() => {
    const baseRow = unsavedForm ? unsavedForm.row : row
    return { row: baseRow, values: toValues(baseRow?.row ?? null), isSaved: false }
  })
  const ownState = useState<Values>(() => unsavedForm?.values ?? options.initialValues ?? base.values)
  const [values, setValues] = options.valuesState ?? ownState
  // Typed while a write is on its way, after the values that `submit` has.
  const latestValues = useRef(values)
  useLayoutEffect(() => {
    latestValues.current = values
  })
  const [conflict, setConflict] = useState<{ previousRow: Row; currentRow: Row } | null>(null)
  const [sendState, setSendState] = useState<SendState>(() => toSendState(refusedWrite?.problem))
  const [intent, setIntent] = useState(unsavedForm ? unsavedForm.intent : (refusedWrite?.intent ?? null))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const [errors, setErrors] = useState<InputErrors>(() => toErrors(findFaults(refusedWrite?.problem ?? null)))

  const fields = fromValues(values)
  const changes = getChanges(fields, fromValues(base.values))
  const hasChanges = Object.keys(changes).length > 0
  // A new record that was refused is worth keeping as it is.
  const isDirty = hasChanges || (base.row === null && refusedWrite !== null && !base.isSaved)
  unsavedForms.useKeepUnsavedForm(options.name, isDirty ? { row: base.row, values, intent } : null)

  // A new row came in: the form follows it unless something is typed, or was typed before it was saved.
  if (options.followsRow && row && row !== base.row && (!hasChanges || base.isSaved)) {
    const rowValues = toValues(row.row)
    setBase({ row, values: rowValues, isSaved: false })
    setValues(rebase(values, base.values, rowValues))
  }

  function findFaults(problem: Problem | null): readonly Fault[] {
    if (!problem) return []
    const faults = getFieldProblems(problem) as readonly FieldFault[] as readonly Fault[]
    return options.findFaults?.(problem) ?? faults
  }
  function getInputName(fault: Fault): string {
    return options.getInputName?.(fault) ?? fault.field
  }
  function hasInput(fault: Fault): boolean {
    return options.hasInput?.(fault) ?? getInputName(fault) in values
  }
  /** The first fault of an input is shown. */
  function toErrors(faults: readonly Fault[]): InputErrors {
    const entries = faults.filter(hasInput).map((fault) => [getInputName(fault), options.formatFault(fault)])
    return Object.fromEntries(entries.toReversed())
  }
  function showFaults(faults: readonly Fault[], form: HTMLFormElement | null) {
    if (options.showFaults) return options.showFaults(faults)
    flushSync(() => setErrors(toErrors(faults)))
    form?.querySelector<HTMLElement>('[aria-invalid=true], .wrong input, .wrong button')?.focus()
  }

  function change(changedValues: Partial<Values>) {
    const nextValues = { ...latestValues.current, ...changedValues }
    latestValues.current = nextValues
    setValues(nextValues)
    // Once it was refused, an input says at once whether it is right.
    const nextFields = fromValues(nextValues)
    const faults = wasSubmitted ? options.check(nextFields, getChanges(nextFields, fromValues(base.values))) : []
    const nextErrors = toErrors(faults)
    setErrors((current) => ({
      ...current,
      ...Object.fromEntries(Object.keys(changedValues).map((name) => [name, nextErrors[name]])),
    }))
  }

  async function submit(form: HTMLFormElement | null) {
    setWasSubmitted(true)
    const faults = options.check(fields, changes)
    if (faults.length > 0) return showFaults(faults, form)
    const lateFaults = (await options.checkBeforeSave?.(fields)) ?? []
    if (lateFaults.length > 0) return showFaults(lateFaults, form)
    setSendState({ kind: 'sending' })
    const baseOption = base.row && {
      base: { rowVersion: getBaseVersion(base.row), values: pickFields(base.row.row, fromValues(base.values)) },
    }
    const write = { row: base.row, fields, changes, options: { ...baseOption, ...(intent === null ? {} : { intent }) } }
    const result = await dispatch(options.save(write)).catch(unreachableResult)
    if (result.kind === 'problem') return handleRefusal(result.problem, result.intent ?? null, form)
    const saved = { id: base.row ? base.row.row.id : getCreatedId(result), fields, isQueued: result.kind === 'queued' }
    // Nothing is left to lose, and the navigation guard has to know it before the page changes.
    flushSync(() => {
      setSendState({ kind: saved.isQueued ? 'queued' : 'idle' })
      setIntent(null)
      setConflict(null)
      setBase({ ...base, values, isSaved: true })
    })
    showSaved(result, saved)
    options.onSaved?.(saved)
  }

  /** A refusal goes to the inputs it is about; after a change by somebody else the form goes on from the current row. */
  function handleRefusal(problem: Problem, refusedIntent: Intent | null, form: HTMLFormElement | null) {
    const currentRow = base.row && (getCurrentRow(problem) as Row | null)
    setSendState({ kind: 'failed', problem })
    setIntent(usedUpCodes.includes(problem.code) ? null : refusedIntent)
    setConflict(currentRow && base.row && { previousRow: base.row.row, currentRow })
    if (currentRow) {
      const currentValues = toValues(currentRow)
      setBase({ row: { row: currentRow, waiting: null }, values: currentValues, isSaved: false })
      setValues(rebase(latestValues.current, base.values, currentValues))
    }
    const faults = findFaults(problem)
    if (faults.length > 0) showFaults(faults, form)
  }

  function showSaved(result: CallResult<unknown>, saved: SavedForm<Fields>) {
    if (result.kind === 'queued') return showToast({ kind: 'note', text: formatQueuedMessage(result) })
    if (base.row) return showToast({ kind: 'done', text: texts.updated ?? t('message.updated') })
    const link = texts.getCreatedLink?.(saved)
    showToast({ kind: 'done', text: t('message.done', { action: texts.createAction }), ...(link ? { link } : {}) })
  }

  // Said before anything is typed in vain.
  const problem = saveBlock
    ? createLocalProblem(saveBlock.code)
    : sendState.kind === 'failed'
      ? sendState.problem
      : null
  const faults = findFaults(problem)
  const isShownAtInputs = conflict !== null || (faults.length > 0 && faults.every(hasInput))
  const failureTitle = base.row ? t('message.updateFailed') : t('message.failed', { action: texts.createAction })
  const unchangedReason = !options.canSaveUnchanged && base.row && !hasChanges ? texts.unchanged : null
  return {
    /** Null: a new record. */
    row: base.row,
    values,
    fields,
    changes,
    isDirty,
    conflict,
    intent,
    errors,
    change,
    /** Puts the inputs back to what the form was opened on. */
    undo() {
      setValues(base.values)
      setErrors({})
      setConflict(null)
    },
    /** A fault found while typing: an e-mail that is taken. */
    showFault: (fault: Fault) => setErrors((current) => ({ ...current, ...toErrors([fault]) })),
    ...createInputProps({ values, errors, change }),
    /** For `PageForm` and `FormDrawer`. */
    formProps: {
      status: sendState.kind,
      problem: isShownAtInputs ? null : problem,
      failureTitle: saveBlock ? undefined : failureTitle,
      submitLabel: sendState.kind === 'sending' ? texts.saving : texts.submit,
      disabledReason: saveBlock ? t(saveBlock.reason) : unchangedReason,
      isDirty,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault()
        void submit(event.currentTarget)
      },
    },
  }
}

/** What creates a record is answered with its row; a write that waited and was sent again, with nothing. */
function getCreatedId(result: CallResult<unknown>): RowRef | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as VersionedRow | null)?.id ?? null) : null
}

/** The fields as the row has them: an input may show a stored value in another shape. */
const pickFields = (row: object, fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name in row ? row[name as keyof typeof row] : value]),
  )
