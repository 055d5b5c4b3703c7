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
      const texts: FormTexts = { fields: {}, rows: {} }
      // Reversed, so that the first of several problems of a field is shown.
      for (const problem of problems.toReversed()) {
        if (problem.table === null) texts.fields[problem.name] = getProblemText(t, problem)
        else texts.rows[problem.key] = { ...texts.rows[problem.key], [problem.name]: getProblemText(t, problem) }
      }
      flushSync(() => setProblemTexts(texts))
      document.querySelector<HTMLElement>('.price-editor [aria-invalid=true]')?.focus()
    },
    [t],
  )
  return { values, problemTexts, dispatch, showProblems }
}

function removeTouched({ fields, rows }: FormTexts, action: PriceFormAction): FormTexts {
  if (action.kind === 'header') return { rows, fields: omitName(fields, action.name) }
  if (action.kind === 'backupPrice') return { rows, fields: omitName(fields, `pdbPrice.${action.name}`) }
  if (action.kind === 'cell' || action.kind === 'remove' || action.kind === 'raise')
    return { fields, rows: removeTouchedRow(rows, action) }
  return { fields, rows: action.kind === 'add' || action.kind === 'backup' ? rows : {} }
}

/** Changing a cell removes the error of that cell; other actions remove all errors of the row. */
function removeTouchedRow(
  rows: RowTexts,
  action: Extract<PriceFormAction, { kind: 'cell' | 'remove' | 'raise' }>,
): RowTexts {
  const { [action.key]: rowTexts, ...otherRows } = rows
  if (!rowTexts) return rows
  const remainingTexts = action.kind === 'cell' ? omitName(rowTexts, action.name) : {}
  return Object.keys(remainingTexts).length === 0 ? otherRows : { ...otherRows, [action.key]: remainingTexts }
}

function omitName(texts: Record<string, string>, name: string): Record<string, string> {
  const { [name]: _removed, ...rest } = texts
  return rest
}
