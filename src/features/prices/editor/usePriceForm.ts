import { useCallback, useReducer, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { type Act, reduce } from '#features/prices/editor/form-reducer.ts'
import type { Values } from '#features/prices/price-list-form.ts'
import type { PlacedProblem } from '#features/prices/sent-list.ts'
import { problemText } from '#features/prices/words-of.ts'

/** In words, by the row's key and the column; a row that is not touched keeps its object. */
export type RowTexts = Record<number, Record<string, string>>
interface Words {
  fields: Record<string, string>
  rows: RowTexts
}
const nothing: Words = { fields: {}, rows: {} }

/** What stands in the form, and what was found wrong with it: said until that very field is touched again. */
export function usePriceForm(first: () => Values) {
  const { t } = useTranslation('prices')
  const [values, act] = useReducer(reduce, null, first)
  const [wrong, setWrong] = useState<Words>(nothing)

  const dispatch = useCallback((done: Act) => {
    act(done)
    setWrong((now) => (now === nothing ? now : withoutTouched(now, done)))
  }, [])
  /** It stands on the page when this has returned. */
  const show = useCallback(
    (found: readonly PlacedProblem[]) => {
      const words: Words = { fields: {}, rows: {} }
      // The first of a field is said.
      for (const one of found.toReversed()) {
        if (one.table === null) words.fields[one.name] = problemText(t, one)
        else words.rows[one.key] = { ...words.rows[one.key], [one.name]: problemText(t, one) }
      }
      flushSync(() => setWrong(words))
    },
    [t],
  )
  return { values, wrong, dispatch, show }
}

function withoutTouched({ fields, rows }: Words, done: Act): Words {
  if (done.kind === 'header') return { rows, fields: without(fields, done.name) }
  if (done.kind === 'backupPrice') return { rows, fields: without(fields, `pdbPrice.${done.name}`) }
  if (done.kind === 'whole' || done.kind === 'paste' || done.kind === 'move') return { fields, rows: {} }
  if (!('key' in done) || !rows[done.key]) return { fields, rows }
  const left = done.kind === 'cell' ? without(rows[done.key] ?? {}, done.name) : {}
  const { [done.key]: _gone, ...others } = rows
  return { fields, rows: Object.keys(left).length === 0 ? others : { ...others, [done.key]: left } }
}

function without(words: Record<string, string>, name: string): Record<string, string> {
  const { [name]: _gone, ...others } = words
  return others
}
