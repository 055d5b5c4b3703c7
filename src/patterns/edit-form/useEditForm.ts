import { type FormEvent, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TFunction } from 'i18next'
import { getCurrentRow } from '#contract/current-row.ts'
import type { Intent, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { getBaseVersion, type OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import { unreachableResult } from '#state/app-thunk.ts'
import { useDispatch, useSaveBlocked } from '#state/use-store.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { navigateUnguarded } from '#ui/navigation-guard/navigation-guard.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import type { EditFormOptions, FieldFault, SavedForm } from '#patterns/edit-form/edit-form-options.ts'
import { type FormValues, rebaseValues } from '#patterns/edit-form/form-values.ts'
import { createInputProps } from '#patterns/edit-form/input-props.ts'
import { useFormErrors } from '#patterns/edit-form/useFormErrors.ts'
import { useFormState } from '#patterns/edit-form/useFormState.ts'

type SendState = { kind: 'idle' | 'sending' | 'queued' } | { kind: 'failed'; problem: Problem }

/** After these problems the intent is used up: the next save is a new write. */
const usedUpCodes = ['INTENT_DONE', 'INTENT_VOID']

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
  const { toValues, fromValues, texts, rebase = rebaseValues } = options
  const { t } = useTranslation('ui')
  const dispatch = useDispatch()
  const blockedProps = useBlockedProps()
  const formState = useFormState(options)
  const { base, setBase, values, setValues, fields, changes, isDirty, intent, setIntent } = formState
  const [conflict, setConflict] = useState<{ previousRow: Row; currentRow: Row } | null>(null)
  const [sendState, setSendState] = useState<SendState>(() => toSendState(formState.refusal))
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const inputErrors = useFormErrors<Fault>(options, values, formState.refusal)

  function change(changedValues: Partial<Values>) {
    const nextFields = fromValues(formState.changeValues(changedValues))
    // Once the form was refused, an input says at once whether it is right.
    const faults = wasSubmitted ? options.check(nextFields, formState.getFieldChanges(nextFields)) : []
    inputErrors.update(Object.keys(changedValues), faults)
  }

  async function findFaultsBeforeSave(): Promise<readonly Fault[]> {
    const faults = options.check(fields, changes)
    return faults.length > 0 ? faults : ((await options.checkBeforeSave?.(fields)) ?? [])
  }

  const submitOnce = useOneAtATime(submit)
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
    // Nothing is left to lose, and the navigation guard has to know it before the page changes.
    flushSync(() => {
      setSendState({ kind: saved.isQueued ? 'queued' : 'idle' })
      setIntent(null)
      setConflict(null)
      setWasSubmitted(false)
      setBase({ ...base, values, isSaved: true })
    })
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showSaved(t, texts, base.row === null, saved)
    // What was typed since does not hold the form open: saved again, it would be a second record.
    navigateUnguarded(() => options.onSaved?.(saved))
  }

  /** A refusal goes to the inputs it is about; after a change by somebody else the form goes on from the current row. */
  function handleRefusal(problem: Problem, refusedIntent: Intent | null, form: HTMLFormElement) {
    const currentRow = base.row && (getCurrentRow(problem) as Row | null)
    setSendState({ kind: 'failed', problem })
    setIntent(usedUpCodes.includes(problem.code) ? null : refusedIntent)
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
    /** What the form was opened on, or the row as it was at the last conflict; null: a new record. */
    row: base.row,
    baseValues: base.values,
    values,
    fields,
    changes,
    isDirty,
    conflict,
    /** Under which the write was refused before. */
    intent,
    change,
    /** A fault found while typing: an e-mail that is taken. */
    showFault: inputErrors.add,
    /** Puts the inputs back to what the form was opened on. */
    undo() {
      setValues(base.values)
      setSendState((current) => (current.kind === 'failed' ? { kind: 'idle' } : current))
      setConflict(null)
      inputErrors.clear()
    },
    ...createInputProps({ values, errors: inputErrors.errors, change }),
    /** For `PageForm` and `FormDrawer`. */
    formProps: {
      status: sendState.kind,
      submitLabel: sendState.kind === 'sending' ? texts.saving : texts.submit,
      isDirty,
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault()
        submitOnce(event.currentTarget)
      },
      ...(blockedProps ?? {
        problem: conflict || inputErrors.isShownAtInputs(problem) ? null : problem,
        failureTitle: base.row ? t('message.updateFailed') : t('message.failed', { action: texts.createAction }),
        disabledReason: isUnchanged && !options.canSaveUnchanged ? texts.unchanged : null,
      }),
    },
  }
}

const toSendState = (problem: Problem | null): SendState => (problem ? { kind: 'failed', problem } : { kind: 'idle' })

/** Why nothing can be saved now, which is shown before anything is typed in vain. Null: it can. */
function useBlockedProps() {
  const { t } = useTranslation('ui')
  const saveBlock = useSaveBlocked()
  const code = saveBlock?.code
  // A note takes the focus whenever its problem is another object.
  const problem = useMemo(() => (code ? createLocalProblem(code) : null), [code])
  return saveBlock && { problem, failureTitle: undefined, disabledReason: t(saveBlock.reason) }
}

/** Ignores what is asked for while a run is on its way. */
function useOneAtATime<Input>(run: (input: Input) => Promise<void>): (input: Input) => void {
  const isRunning = useRef(false)
  return (input) => {
    if (isRunning.current) return
    isRunning.current = true
    void run(input).finally(() => {
      isRunning.current = false
    })
  }
}

/** What a change is based on (protocol 9): the version, and the fields as the row has them. */
const getBaseOption = (row: OverlaidRow<VersionedRow> | null, fields: object) =>
  row && { base: { rowVersion: getBaseVersion(row), values: pickFields(row.row, fields) } }

/** An input may show a stored value in another shape. */
const pickFields = (row: object, fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name in row ? row[name as keyof typeof row] : value]),
  )

/** What creates a record is answered with its row; a write that waited and was sent again, with nothing. */
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
  if (!isNew) return showToast({ kind: 'done', text: updated ?? t('message.updated') })
  const link = getCreatedLink?.(saved as never)
  showToast({ kind: 'done', text: t('message.done', { action: createAction }), ...(link ? { link } : {}) })
}
