import { useEffect, useRef } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { useForgottenDraft } from '#patterns/useForgottenDraft.ts'
import { type DraftOffers, useDraftOffers } from '#state/use-draft-offers.ts'
import { parseStoredValues, type PriceListValues } from '#features/prices/price-list-form.ts'

/** A draft, with the values before editing: the list may have been changed by somebody else since. */
export interface PriceListDraft {
  values: PriceListValues
  before: PriceListValues
}

/** Time without typing before a draft is saved, in ms. */
const restMs = 300

function parseDraft(value: unknown): PriceListDraft | null {
  const { values, before } = (value ?? {}) as { values?: unknown; before?: unknown }
  const [typedValues, previousValues] = [parseStoredValues(values), parseStoredValues(before)]
  return typedValues && previousValues && { values: typedValues, before: previousValues }
}

/** Returns the drafts of the form called `name`. `base` is the version of the list that the drafts change. */
export const usePriceDrafts = (name: string, base: string | undefined): DraftOffers<PriceListDraft> =>
  useDraftOffers(drafts, { formName: name, base, parse: parseDraft })

/** Saves the typed values on the device. They survive a reload. Pass null if nothing was changed. */
export function useSavedDraft(name: string, draft: PriceListDraft | null, base: string | undefined): void {
  const latestDraft = useRef<PriceListDraft | null>(null)
  const { values, before } = draft ?? {}
  useEffect(() => {
    latestDraft.current = values && before ? { values, before } : null
    const timer = setTimeout(() => void drafts.saveDraft(name, latestDraft.current, base), restMs)
    return () => clearTimeout(timer)
  }, [name, values, before, base])
  useEffect(() => {
    // When the page closes, the database may no longer accept a write, so the draft goes to the tab's session storage.
    const noteDraft = () => void drafts.noteDraft(name, latestDraft.current, base)
    addEventListener('pagehide', noteDraft)
    return () => removeEventListener('pagehide', noteDraft)
  }, [name, base])
  useForgottenDraft(name)
}
