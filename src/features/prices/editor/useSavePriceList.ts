import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router-dom'
import { currentIn } from '#contract/conflict.ts'
import type { Id } from '#contract/endpoint.ts'
import type { PriceRow } from '#contract/prices.ts'
import { fieldProblems, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import type { Result } from '#request/results.ts'
import { resultOf } from '#state/form-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { rebase, type Values, valuesOf, type WholeList } from '#features/prices/price-list-form.ts'
import { save, type Write } from '#features/prices/editor/save-price-list.ts'
import {
  changesOf,
  type Known,
  placed,
  readForm,
  type SentList,
  type PlacedProblem,
} from '#features/prices/sent-list.ts'
import type { Opened } from '#features/prices/editor/useOpenedList.ts'
import { pathOf } from '#features/prices/paths.ts'
import { priceLists } from '#features/prices/slice.ts'

interface Given {
  type: ClientType
  opened: Opened | null
  known: Known
  values: Values
  /** Values of the list as it was opened. */
  before: Values
  show: (wrong: readonly PlacedProblem[]) => void
  setValues: (values: Values) => void
  /** The list is another now, on the server or on this device: the page opens it again. */
  onSaved: () => void
}

/** Saves and confirms, and takes back what was refused: to the fields it is about, or onto the list as it is now. */
export function useSavePriceList(given: Given) {
  const { type, known, values, show, setValues, onSaved } = given
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const [base, setBase] = useState({ opened: given.opened, before: given.before })
  const [conflict, setConflict] = useState<{ was: SentList; now: SentList } | null>(null)
  const isLocked = base.opened?.shown.row.confirmed ?? false

  /** Null: something is wrong, and is shown. Of a confirmed list the description alone counts (D81). */
  function read() {
    const form = readForm(values, known)
    const wrong = isLocked ? form.wrong.filter(({ name }) => name === 'desc') : form.wrong
    if (wrong.length > 0) show(wrong)
    return wrong.length > 0 ? null : form
  }

  async function submit() {
    const form = read()
    if (!form) return
    const before = readForm(base.before, known).list
    const { opened } = base
    const write: Write = opened
      ? { opened: opened.shown, before, changes: changesOf(form.list, before) }
      : { type, list: form.list }
    const result = resultOf(await dispatch(save(write)))
    if (result.kind === 'problem') return takeBack(result.problem, form.keys)
    const id = opened ? opened.shown.row.id : createdId(result)
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else
      showToast({
        kind: 'done',
        text: opened ? words('message.updated') : words('message.done', { action: t('act.save') }),
      })
    if (!opened && id !== null) dispatch(priceLists.rowCreated(id))
    // Nothing is left to lose, and the guard must know it before the way is gone.
    flushSync(onSaved)
    void navigate(result.kind === 'queued' || id === null ? pathOf() : pathOf(id))
  }

  /** Takes effect for customers from its day on: never queued (D81). */
  async function confirm(): Promise<Problem | null> {
    const { opened } = base
    if (!opened) return null
    const before = readForm(base.before, known).list
    const result = resultOf(await dispatch(save({ opened: opened.shown, before, changes: { confirmed: true } })))
    if (result.kind === 'problem') return result.problem
    showToast({ kind: 'done', text: words('message.done', { action: t('act.confirm') }) })
    onSaved()
    return null
  }

  function takeBack(refused: Problem, keys: Parameters<typeof placed>[1]) {
    const now = base.opened && (currentIn(refused) as (WholeList & PriceRow) | null)
    if (now) {
      const current = valuesOf(now)
      setConflict({ was: readForm(base.before, known).list, now: readForm(current, known).list })
      setBase({ opened: { shown: { row: now, waiting: null }, whole: now }, before: current })
      setValues(rebase(values, base.before, current))
    } else setConflict(null)
    const found = (fieldProblems(refused) as AnyProblem[]).map((problem) => placed(problem, keys))
    if (found.length > 0) show(found)
  }

  return { base, conflict, isLocked, read, submit, confirm }
}

function createdId(result: Result<unknown>): Id | null {
  if (result.kind === 'queued') return `~${result.intent}`
  return result.kind === 'fresh' ? ((result.output as WholeList | null)?.id ?? null) : null
}
