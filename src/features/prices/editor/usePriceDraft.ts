import { useEffect, useRef, useState } from 'react'
import { noteDraft, readDraft, saveDraft } from '#local/drafts/form-drafts.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { valuesFrom, type Values } from '#features/prices/editor/price-list-form.ts'

/** What stands typed, and over which values: somebody else may have changed the list since. */
export interface Draft {
  values: Values
  before: Values
}

/** Written once nothing has been typed for so long. */
const restMs = 300

/** What an earlier page left of the form `name` on this device. Undefined: not looked up yet; null: nothing. */
export function useEarlierDraft(name: string): Draft | null | undefined {
  const [found, setFound] = useState<Draft | null>()
  useEffect(() => {
    let counts = true
    void readDraft(name).then((kept) => {
      const { values, before } = (kept?.value ?? {}) as { values?: unknown; before?: unknown }
      const [typed, over] = [valuesFrom(values), valuesFrom(before)]
      if (counts) setFound(typed && over && { values: typed, before: over })
    })
    return () => void (counts = false)
  }, [name])
  return found
}

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forget =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await saveDraft(form, null)
  }

/** Keeps what stands typed on the device, so that it survives a reload and a closed browser. Null: there is nothing to keep. */
export function useKeptDraft(name: string, draft: Draft | null): void {
  const dispatch = useDispatch()
  const latest = useRef<Draft | null>(null)
  const { values, before } = draft ?? {}
  useEffect(() => {
    latest.current = values && before ? { values, before } : null
    const timer = setTimeout(() => void saveDraft(name, latest.current), restMs)
    return () => clearTimeout(timer)
  }, [name, values, before])
  useEffect(() => {
    // The database would not take it any more: the tab's own storage does.
    const note = () => void noteDraft(name, latest.current)
    addEventListener('pagehide', note)
    return () => {
      removeEventListener('pagehide', note)
      void dispatch(forget(name))
    }
  }, [name, dispatch])
}
