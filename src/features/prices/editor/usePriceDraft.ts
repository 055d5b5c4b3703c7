import { useEffect, useRef } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { type DraftOffers, useDraftOffers } from '#state/use-draft-offers.ts'
import { valuesFrom, type Values } from '#features/prices/price-list-form.ts'

/** What stands typed, and over which values: somebody else may have changed the list since. */
export interface Draft {
  values: Values
  before: Values
}

/** Written once nothing has been typed for so long. */
const restMs = 300

function parseDraft(value: unknown): Draft | null {
  const { values, before } = (value ?? {}) as { values?: unknown; before?: unknown }
  const [typed, over] = [valuesFrom(values), valuesFrom(before)]
  return typed && over && { values: typed, before: over }
}

/** The drafts of the form `name`; `base`: the version of the list that it changes. */
export const usePriceDrafts = (name: string, base: string | undefined): DraftOffers<Draft> =>
  useDraftOffers(drafts, { form: name, base, parse: parseDraft })

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forget =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await drafts.saveDraft(form, null)
  }

/** Keeps what stands typed on the device, so that it survives a reload and a closed browser. Null: there is nothing to keep. */
export function useKeptDraft(name: string, draft: Draft | null, base: string | undefined): void {
  const dispatch = useDispatch()
  const latest = useRef<Draft | null>(null)
  const { values, before } = draft ?? {}
  useEffect(() => {
    latest.current = values && before ? { values, before } : null
    const timer = setTimeout(() => void drafts.saveDraft(name, latest.current, base), restMs)
    return () => clearTimeout(timer)
  }, [name, values, before, base])
  useEffect(() => {
    // The database would not take it any more: the tab's own storage does.
    const note = () => void drafts.noteDraft(name, latest.current, base)
    addEventListener('pagehide', note)
    return () => removeEventListener('pagehide', note)
  }, [name, base])
  useEffect(() => () => void dispatch(forget(name)), [name, dispatch])
}
