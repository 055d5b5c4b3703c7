import { useCallback, useReducer, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { type PriceFormAction, reducePriceForm } from '#features/prices/editor/form-reducer.ts'
import type { PriceListValues } from '#features/prices/price-list-form.ts'
import type { PlacedProblem } from '#features/prices/sent-list.ts'
import { getProblemText } from '#features/prices/problem-text.ts'

/** In words, by the row's key and the column; a row that is not touched keeps its object. */
export type RowTexts = Record<number, Record<string, string>>
interface FormTexts {
  fields: Record<string, string>
  rows: RowTexts
}
const noTexts: FormTexts = { fields: {}, rows: {} }

/** What stands in the form, and what was found wrong with it: said until that very field is touched again. */
export function usePriceForm(createInitialValues: () => PriceListValues) {
  const { t } = useTranslation('prices')
  const [values, dispatchAction] = useReducer(reducePriceForm, null, createInitialValues)
  const [problemTexts, setProblemTexts] = useState<FormTexts>(noTexts)

  const dispatch = useCallback((action: PriceFormAction) => {
    dispatchAction(action)
    setProblemTexts((texts) => (texts === noTexts ? texts : removeTouched(texts, action)))
  }, [])
  /** It stands on the page when this has returned. */
  const showProblems = useCallback(
    (problems: readonly PlacedProblem[]) => {
      const texts: FormTexts = { fields: {}, rows: {} }
      // The first of a field is said.
      for (const problem of problems.toReversed()) {
        if (problem.table === null) texts.fields[problem.name] = getProblemText(t, problem)
        else texts.rows[problem.key] = { ...texts.rows[problem.key], [problem.name]: getProblemText(t, problem) }
      }
      flushSync(() => setProblemTexts(texts))
    },
    [t],
  )
  return { values, problemTexts, dispatch, showProblems }
}

function removeTouched({ fields, rows }: FormTexts, action: PriceFormAction): FormTexts {
  if (action.kind === 'header') return { rows, fields: omitName(fields, action.name) }
  if (action.kind === 'backupPrice') return { rows, fields: omitName(fields, `pdbPrice.${action.name}`) }
  if (action.kind === 'whole' || action.kind === 'paste' || action.kind === 'move') return { fields, rows: {} }
  if (!('key' in action) || !rows[action.key]) return { fields, rows }
  const remainingTexts = action.kind === 'cell' ? omitName(rows[action.key] ?? {}, action.name) : {}
  const { [action.key]: _removed, ...otherRows } = rows
  return {
    fields,
    rows: Object.keys(remainingTexts).length === 0 ? otherRows : { ...otherRows, [action.key]: remainingTexts },
  }
}

function omitName(texts: Record<string, string>, name: string): Record<string, string> {
  const { [name]: _removed, ...rest } = texts
  return rest
}
