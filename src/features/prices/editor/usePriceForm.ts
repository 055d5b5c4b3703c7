import { useCallback, useReducer, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { type PriceFormAction, reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import type { PriceListValues } from '#features/prices/price-list-form.ts'
import type { PlacedProblem } from '#features/prices/sent-list.ts'
import { getProblemText } from '#features/prices/problem-text.ts'

/** Error texts by row key and column. The object of an unchanged row stays the same. */
export type RowTexts = Record<number, Record<string, string>>
interface FormTexts {
  fields: Record<string, string>
  rows: RowTexts
}
const noTexts: FormTexts = { fields: {}, rows: {} }

/** The form's values and the errors of its fields. An error is shown until its field is changed. */
export function usePriceForm(createInitialValues: () => PriceListValues) {
  const { t } = useTranslation('prices')
  const [values, dispatchAction] = useReducer(reducePriceForm, null, createInitialValues)
  const [problemTexts, setProblemTexts] = useState<FormTexts>(noTexts)

  const dispatch = useCallback((action: PriceFormAction) => {
    dispatchAction(action)
    setProblemTexts((texts) => (texts === noTexts ? texts : removeTouched(texts, action)))
  }, [])
  /** Shows the problems. Moves the focus to the first error once, not while the user is typing. */
  const showProblems = useCallback(
    (problems: readonly PlacedProblem[]) => {
      // Reversed, so that the first of several problems of a field is shown.
      const texts = problems
        .toReversed()
        .reduce((others, problem) => addText(others, problem, getProblemText(t, problem)), noTexts)
      flushSync(() => setProblemTexts(texts))
      document.querySelector<HTMLElement>('.price-editor [aria-invalid=true]')?.focus()
    },
    [t],
  )
  /** Shows a problem in addition to the others, and leaves the focus where it is. */
  const addProblem = useCallback(
    (problem: PlacedProblem) => setProblemTexts((texts) => addText(texts, problem, getProblemText(t, problem))),
    [t],
  )
  return { values, problemTexts, dispatch, showProblems, addProblem }
}

function addText({ fields, rows }: FormTexts, { table, key, name }: PlacedProblem, text: string): FormTexts {
  if (table === null) return { rows, fields: { ...fields, [name]: text } }
  return { fields, rows: { ...rows, [key]: { ...rows[key], [name]: text } } }
}

function removeTouched(texts: FormTexts, action: PriceFormAction): FormTexts {
  // The value stays the same.
  if (action.kind === 'format') return texts
  const { fields, rows } = texts
  if (action.kind === 'header') return { rows, fields: omitName(fields, action.name) }
  if (action.kind === 'backupPrice') return { rows, fields: omitName(fields, `pdbPrice.${action.name}`) }
  if (action.kind === 'cell' || action.kind === 'remove' || action.kind === 'raise')
    return { fields, rows: removeTouchedRow(rows, action) }
  return { fields, rows: action.kind === 'add' || action.kind === 'backup' ? rows : {} }
}

/** Changing a cell removes the error of that cell; removing the row removes all of its errors. */
function removeTouchedRow(
  rows: RowTexts,
  action: Extract<PriceFormAction, { kind: 'cell' | 'remove' | 'raise' }>,
): RowTexts {
  const { [action.key]: rowTexts, ...otherRows } = rows
  if (!rowTexts) return rows
  const remainingTexts =
    action.kind === 'remove' ? {} : omitName(rowTexts, action.kind === 'raise' ? 'to' : action.name)
  return Object.keys(remainingTexts).length === 0 ? otherRows : { ...otherRows, [action.key]: remainingTexts }
}

function omitName(texts: Record<string, string>, name: string): Record<string, string> {
  const { [name]: _removed, ...rest } = texts
  return rest
}
