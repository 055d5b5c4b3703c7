import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router-dom'
import { getCurrentRow } from '#contract/current-row.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { PriceRow } from '#contract/prices.ts'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import type { CallResult } from '#request/call-results.ts'
import { getFormResult } from '#state/form-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import {
  rebaseValues,
  type PriceListValues,
  toPriceListValues,
  type FullPriceList,
} from '#features/prices/price-list-form.ts'
import { savePriceList, type PriceListWrite } from '#features/prices/editor/save-price-list.ts'
import {
  getListChanges,
  type PriceFormContext,
  placeProblem,
  readForm,
  type SentList,
  type PlacedProblem,
} from '#features/prices/sent-list.ts'
import type { OpenedPriceList } from '#features/prices/editor/useOpenedList.ts'
import { getPriceListPath } from '#features/prices/paths.ts'
import { priceListsSlice } from '#features/prices/slice.ts'

interface SavePriceListOptions {
  type: ClientType
  openedList: OpenedPriceList | null
  formContext: PriceFormContext
  values: PriceListValues
  /** Values of the list as it was opened. */
  initialValues: PriceListValues
  showProblems: (problems: readonly PlacedProblem[]) => void
  setValues: (values: PriceListValues) => void
  /** The list is another now, on the server or on this device: the page opens it again. */
  onSaved: () => void
}

/** Saves and confirms, and takes back what was refused: to the fields it is about, or onto the list as it is now. */
export function useSavePriceList(options: SavePriceListOptions) {
  const { type, formContext, values, showProblems, setValues, onSaved } = options
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const [base, setBase] = useState({ openedList: options.openedList, initialValues: options.initialValues })
  const [conflict, setConflict] = useState<{ previousList: SentList; currentList: SentList } | null>(null)
  const isLocked = base.openedList?.overlaidRow.row.confirmed ?? false

  /** Null: something is wrong, and is shown. Of a confirmed list the description alone counts (D81). */
  function readValidForm() {
    const form = readForm(values, formContext)
    const problems = isLocked ? form.problems.filter(({ name }) => name === 'desc') : form.problems
    if (problems.length > 0) showProblems(problems)
    return problems.length > 0 ? null : form
  }

  async function submit() {
    const form = readValidForm()
    if (!form) return
    const previousList = readForm(base.initialValues, formContext).list
    const { openedList } = base
    const write: PriceListWrite = openedList
      ? { overlaidRow: openedList.overlaidRow, previousList, changes: getListChanges(form.list, previousList) }
      : { type, list: form.list }
    const result = getFormResult(await dispatch(savePriceList(write)))
    if (result.kind === 'problem') return handleRefusal(result.problem, form.keys)
    const id = openedList ? openedList.overlaidRow.row.id : createdId(result)
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else
      showToast({
        kind: 'done',
        text: openedList ? tUi('message.updated') : tUi('message.done', { action: t('act.save') }),
      })
    if (!openedList && id !== null) dispatch(priceListsSlice.rowCreated(id))
    // Nothing is left to lose, and the guard must know it before the way is gone.
    flushSync(onSaved)
    void navigate(result.kind === 'queued' || id === null ? getPriceListPath() : getPriceListPath(id))
  }

  /** Takes effect for customers from its day on: never queued (D81). */
  async function confirm(): Promise<Problem | null> {
    const { openedList } = base
    if (!openedList) return null
    const previousList = readForm(base.initialValues, formContext).list
    const result = getFormResult(
      await dispatch(
        savePriceList({ overlaidRow: openedList.overlaidRow, previousList, changes: { confirmed: true } }),
      ),
    )
    if (result.kind === 'problem') return result.problem
    showToast({ kind: 'done', text: tUi('message.done', { action: t('act.confirm') }) })
    onSaved()
    return null
  }

  function handleRefusal(refusal: Problem, keys: Parameters<typeof placeProblem>[1]) {
    const currentRow = base.openedList && (getCurrentRow(refusal) as (FullPriceList & PriceRow) | null)
    if (currentRow) {
      const current = toPriceListValues(currentRow)
      setConflict({
        previousList: readForm(base.initialValues, formContext).list,
        currentList: readForm(current, formContext).list,
      })
      setBase({
        openedList: { overlaidRow: { row: currentRow, waiting: null }, fullList: currentRow },
        initialValues: current,
      })
      setValues(rebaseValues(values, base.initialValues, current))
    } else setConflict(null)
    const placedProblems = (getFieldProblems(refusal) as AnyFieldProblem[]).map((problem) =>
      placeProblem(problem, keys),
    )
    if (placedProblems.length > 0) showProblems(placedProblems)
  }

  return { base, conflict, isLocked, readValidForm, submit, confirm }
}

function createdId(result: CallResult<unknown>): RowRef | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as FullPriceList | null)?.id ?? null) : null
}
