import { type FormEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TFunction } from 'i18next'
import { getCurrentRow } from '#contract/verdict.ts'
import type { ActingChange } from '#contract/staff/acting-changes.ts'
import type { Intent, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { getBaseVersion, type OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { unreachableResult } from '#state/app-thunk.ts'
import { useDispatch, useSaveBlocked } from '#state/use-store.ts'
import { dropHeldStep, leaveSavedForm } from '#ui/navigation-guard/navigation-guard.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { showQueuedToast } from '#patterns/action-toast.ts'
import { useTranslation } from 'react-i18next'
import type { EditFormOptions, FieldFault, SavedForm } from '#patterns/edit-form/edit-form-options.ts'
import { type FormValues, rebaseValues } from '#patterns/edit-form/form-values.ts'
import { createInputProps } from '#patterns/edit-form/input-props.ts'
import { useFormErrors } from '#patterns/edit-form/useFormErrors.ts'
import { useFormState } from '#patterns/edit-form/useFormState.ts'

type SendState = { kind: 'idle' | 'sending' | 'queued' } | { kind: 'failed'; problem: Problem }

/** Codes of problems after which the intent cannot be used again. The next save is then a new write. */
const usedUpCodes = ['INTENT_DONE', 'INTENT_VOID']

/**
 * The state of a form for one record: initial values, changes, checks, saving or queueing, conflicts and messages. Pass its `formProps` to
 * `<PageForm>` or `<FormDrawer>`, which ask before typed values are lost.
 */
export function useEditForm<
  Row extends VersionedRow,
  Values extends FormValues,
  Fields extends object,
  Fault extends FieldFault = FieldFault,
>(options: EditFormOptions<Row, Values, Fields, Fault>) {
  const { toValues, fromValues, texts, rebase = rebaseValues } = options
  const { t } = useTranslation('ui')
  const dispatch = useDispatch()
  const blockedProps = useBlockedProps(options.actingCall)
  const formState = useFormState(options)
  const { base, setBase, values, setValues, fields, changes, isDirty, intent, setIntent } = formState
  const [conflict, setConflict] = useState<{ previousRow: Row; currentRow: Row } | null>(null)
  const [sendState, setSendState] = useState<SendState>(() => toSendState(formState.refusal))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const inputErrors = useFormErrors<Fault>(options, values, formState.refusal)

  function change(changedValues: Partial<Values>) {
    const nextFields = fromValues(formState.changeValues(changedValues))
    // After the first submit, each input is checked while the user types.
    const faults = wasSubmitted ? options.check(nextFields, formState.getFieldChanges(nextFields)) : []
    inputErrors.update(Object.keys(changedValues), faults)
  }

  async function findFaultsBeforeSave(): Promise<readonly Fault[]> {
    const faults = options.check(fields, changes)
    return faults.length > 0 ? faults : ((await options.checkBeforeSave?.(fields)) ?? [])
  }

  const isMounted = useIsMounted()
  const submitOnce = useSubmitOnce(submit)
  async function submit(form: HTMLFormElement) {
    setWasSubmitted(true)
    const faults = await findFaultsBeforeSave()
    if (faults.length > 0) return inputErrors.show(faults, form)
    inputErrors.clear()
    setSendState({ kind: 'sending' })
    const callOptions = { ...getBaseOption(base.row, fromValues(base.values)), ...(intent === null ? {} : { intent }) }
    const result = await dispatch(options.save({ row: base.row, fields, changes, options: callOptions })).catch(
      () => unreachableResult,
    )
    if (result.kind === 'problem') return handleRefusal(result.problem, result.intent ?? null, form)
    const saved = { id: base.row ? base.row.row.id : getCreatedId(result), fields, isQueued: result.kind === 'queued' }
    // All values are saved. `flushSync` updates the navigation guard before the page changes.
    flushSync(() => {
      setSendState({ kind: saved.isQueued ? 'queued' : 'idle' })
      setIntent(null)
      setConflict(null)
      setWasSubmitted(false)
      setBase({ ...base, values, isSaved: true })
    })
    if (result.kind === 'queued') showQueuedToast(result, texts.getName?.(fields))
    else showSaved(t, texts, base.row === null, saved)
    // Values that were typed after the submit do not keep the form open: saving them would create a second record.
    options.onSaved?.(saved)
    // A user who has left the form meanwhile stays where they are.
    if (isMounted.current) leaveSavedForm(() => options.onLeave?.(saved))
  }

  /** Shows a refusal at its inputs. If somebody else changed the record, the form continues from the current row. */
  function handleRefusal(problem: Problem, refusedIntent: Intent | null, form: HTMLFormElement) {
    const currentRow = base.row && (getCurrentRow(problem) as Row | null)
    setSendState({ kind: 'failed', problem })
    setIntent(usedUpCodes.includes(problem.code) ? null : refusedIntent)
    // Other values may have been typed while the write was being sent.
    if (formState.getLatestValues() !== values) formState.endIntent()
    setConflict(currentRow && base.row && { previousRow: base.row.row, currentRow })
    if (currentRow) {
      const currentValues = toValues(currentRow)
      setBase({ row: { row: currentRow, waiting: null }, values: currentValues, isSaved: false })
      setValues(rebase(formState.getLatestValues(), base.values, currentValues))
    }
    const faults = inputErrors.findFaults(problem)
    if (faults.length > 0) inputErrors.show(faults, form)
  }

  const problem = sendState.kind === 'failed' ? sendState.problem : null
  const isUnchanged = base.row !== null && Object.keys(changes).length === 0
  return {
    /** The row that the form was opened with, or the current row after a conflict. Null for a new record. */
    row: base.row,
    baseValues: base.values,
    values,
    fields,
    changes,
    isDirty,
    conflict,
    /** Intent of the write that was refused before, or null. */
    intent,
    change,
    /** Shows a fault found while typing, for example an e-mail that is taken. */
    showFault: inputErrors.add,
    /** Resets the inputs to the values that the form was opened with. */
    undo() {
      setValues(base.values)
      setSendState((current) => (current.kind === 'failed' ? { kind: 'idle' } : current))
      setConflict(null)
      inputErrors.clear()
    },
    ...createInputProps({ values, errors: inputErrors.errors, change }),
    formProps: {
      status: sendState.kind,
      submitLabel: sendState.kind === 'sending' ? texts.saving : texts.submit,
      isDirty,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault()
        submitOnce(event.currentTarget)
      },
      problem: conflict || inputErrors.isShownAtInputs(problem) ? null : problem,
      failureTitle: base.row ? t('message.updateFailed') : t('message.failed', { action: texts.createAction }),
      disabledReason: isUnchanged && !options.canSaveUnchanged ? texts.unchanged : null,
      ...blockedProps,
    },
  }
}

const toSendState = (problem: Problem | null): SendState => (problem ? { kind: 'failed', problem } : { kind: 'idle' })

/** Returns the reason why nothing can be saved now, shown before the user types. Returns null if saving is possible. */
function useBlockedProps(actingCall: ActingChange | undefined) {
  const { t } = useTranslation('ui')
  const saveBlock = useSaveBlocked(actingCall)
  const code = saveBlock?.code
  // Memoised, because the note takes the focus each time it gets a new problem object.
  const problem = useMemo(() => (code ? createLocalProblem(code) : null), [code])
  if (!saveBlock) return null
  const disabledReason = t(saveBlock.reason)
  // A connection comes and goes while the user types. No note may take the focus from the field then, so only the button says it.
  return code === 'NEEDS_CONNECTION' ? { disabledReason } : { problem, failureTitle: undefined, disabledReason }
}

function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}

/** Runs one submit at a time. A user who saves has answered the question whether to leave. */
function useSubmitOnce<Input>(run: (input: Input) => Promise<void>): (input: Input) => void {
  const isRunning = useRef(false)
  return (input) => {
    if (isRunning.current) return
    isRunning.current = true
    dropHeldStep()
    void run(input).finally(() => {
      isRunning.current = false
    })
  }
}

/** Returns the base of a change (protocol 9): the version of the row, and the row's values of the changed fields. */
const getBaseOption = (row: OverlaidRow<VersionedRow> | null, fields: object) =>
  row && { base: { rowVersion: getBaseVersion(row), values: pickFields(row.row, fields) } }

/** Returns the row's own values, because an input may show a stored value in another format. */
const pickFields = (row: object, fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name in row ? row[name as keyof typeof row] : value]),
  )

/** Returns the id of the created record. It is null if a write that was queued before is sent again, because that response has no row. */
function getCreatedId(result: CallResult<unknown>): RowRef | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as VersionedRow | null)?.id ?? null) : null
}

function showSaved<Fields>(
  t: TFunction<'ui'>,
  { createAction, updated, getCreatedLink }: EditFormOptions<never, FormValues, object & Fields, FieldFault>['texts'],
  isNew: boolean,
  saved: SavedForm<Fields>,
) {
  const updatedText = updated ?? t('message.updated')
  const createdText = t('message.done', { action: createAction })
  // The result of the latest save replaces that of the one before.
  if (!isNew) return showToast({ kind: 'done', text: updatedText, replaces: createdText })
  const link = getCreatedLink?.(saved as never)
  showToast({ kind: 'done', text: createdText, replaces: updatedText, ...(link ? { link } : {}) })
}
