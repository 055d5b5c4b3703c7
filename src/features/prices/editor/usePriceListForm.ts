import { useEffect, useMemo, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router-dom'
import { createPriceList, updatePriceList } from '#contract/prices.ts'
import type { ClientType } from '#domain/access.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { useTranslation } from 'react-i18next'
import {
  type FullPriceList,
  getChangedValues,
  headerFieldNames,
  type OpenedPriceList,
  type PriceListValues,
  rebaseValues,
  toPriceListValues,
} from '#features/prices/price-list-form.ts'
import { useLeftField } from '#features/prices/editor/useLeftField.ts'
import { usePriceForm } from '#features/prices/editor/usePriceForm.ts'
import {
  getListChanges,
  hasField,
  placeProblem,
  type PlacedProblem,
  type PriceFormContext,
  type PriceFormResult,
  readForm,
  type SentList,
} from '#features/prices/sent-list.ts'
import { getPriceListPath } from '#features/prices/paths.ts'
import { priceListsSlice } from '#features/prices/slice.ts'

interface PriceListFormOptions {
  type: ClientType
  /** Null for a new list or a copy of another list. */
  openedList: OpenedPriceList | null
  /** Values of the opened list, or of the list to copy. */
  initialValues: PriceListValues
  /** Returns the initial values with the changes of a draft. */
  createDraftValues: () => PriceListValues
  /** A copy may be saved without changes. */
  isCopy: boolean
  formContext: PriceFormContext
  /** Called when the list was saved on the server or queued on this device. The page then opens it again. */
  onSaved: () => void
}

/** Problems found by the form know their position in the form. Problems of a server refusal get it when they are shown. */
type FormProblem = AnyFieldProblem | PlacedProblem

export function usePriceListForm(options: PriceListFormOptions) {
  const { type, openedList, initialValues, createDraftValues, isCopy, formContext, onSaved } = options
  const { t } = useTranslation('prices')
  const storeDispatch = useDispatch()
  const navigate = useNavigate()
  const { values, problemTexts, dispatch, showProblems, addProblem } = usePriceForm(createDraftValues)
  const readList = (listValues: PriceListValues) => readForm(listValues, formContext).list

  const { row, baseValues, isDirty, conflict, formProps } = useEditForm<
    FullPriceList,
    PriceListValues,
    PriceListValues,
    FormProblem
  >({
    name: 'price list',
    row: openedList,
    valuesState: [values, (newValues) => dispatch({ kind: 'replace', values: newValues })],
    toValues: (list) => (list && list !== openedList?.row ? toPriceListValues(list) : initialValues),
    // The values are parsed only when the list is saved: typing in a list with a thousand modules must stay fast.
    fromValues: (formValues) => formValues,
    getChanges: getChangedValues,
    rebase: rebaseValues,
    check: () => findProblems(readForm(values, formContext)),
    // Returns only the code, because `showFaults` creates the texts.
    formatFault: ({ code }) => code,
    hasInput: ({ field }) => hasField(field),
    showFaults(problems) {
      const { keys } = readForm(values, formContext)
      showProblems(problems.map((problem) => ('key' in problem ? problem : placeProblem(problem, keys))))
    },
    save({ row: baseRow, fields, options: callOptions }) {
      const list = readList(fields)
      if (!baseRow) return callEndpoint(createPriceList, { body: { type, ...list } }, callOptions)
      const { id, type: listType, confirmed } = baseRow.row
      const previousList = readList(baseValues)
      return callEndpoint(
        updatePriceList,
        { body: { id, ...getListChanges(list, previousList) } as never },
        {
          ...callOptions,
          base: { rowVersion: getBaseVersion(baseRow), values: { ...previousList, type: listType, confirmed } },
        },
      )
    },
    onSaved({ id }) {
      if (!openedList && id !== null) storeDispatch(priceListsSlice.rowCreated(id))
    },
    onLeave({ id, isQueued }) {
      // Closes the form before the page changes, so that the navigation guard does not warn about unsaved values.
      flushSync(onSaved)
      void navigate(isQueued || id === null ? getPriceListPath() : getPriceListPath(id))
    },
    texts: {
      createAction: t('act.save'),
      submit: t('act.save'),
      saving: t('form.saving'),
      unchanged: t('form.unchanged'),
    },
  })

  /** In a confirmed list only the description can be changed (D81). */
  function findProblems({ problems }: PriceFormResult): PlacedProblem[] {
    return row?.row.confirmed ? problems.filter(({ name }) => name === 'desc') : problems
  }

  const isTouched = useTouchedFields(values.header, baseValues.header)
  const onLeaveField = useLeftField(({ key, name }) => {
    const problem = findProblems(readForm(values, formContext)).find(
      (candidate) => candidate.key === key && candidate.name === name,
    )
    // A field of a new list that the user has only passed through is not yet missing.
    const isPassedThrough = problem?.code === 'REQUIRED' && problem.table === null && !isTouched(name)
    if (problem && !isPassedThrough) addProblem(problem)
    if (!problem) dispatch({ kind: 'format', key, name })
  })

  function readValidList(): SentList | null {
    const result = readForm(values, formContext)
    const problems = findProblems(result)
    if (problems.length === 0) return result.list
    showProblems(problems)
    return null
  }

  const conflictingLists = useMemo(() => {
    if (!conflict) return null
    const readRow = (list: FullPriceList) => readForm(toPriceListValues(list), formContext).list
    return { previousList: readRow(conflict.previousRow), currentList: readRow(conflict.currentRow) }
  }, [conflict, formContext])

  const unchangedReason = isDirty || isCopy ? null : t('form.unchanged')
  return {
    row,
    values,
    baseValues,
    isDirty,
    problemTexts,
    dispatch,
    conflict: conflictingLists,
    readValidList,
    onLeaveField,
    formProps: { ...formProps, disabledReason: formProps.disabledReason ?? unchangedReason },
  }
}

/** Returns whether a field of the header has ever had another value than at first. */
function useTouchedFields(header: PriceListValues['header'], baseHeader: PriceListValues['header']) {
  const touchedNames = useRef(new Set<string>())
  useEffect(() => {
    for (const name of headerFieldNames) if (header[name] !== baseHeader[name]) touchedNames.current.add(name)
  }, [header, baseHeader])
  return (name: string) => touchedNames.current.has(name)
}
