import { useEffect, useRef } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { useForgottenDraft } from '#patterns/useForgottenDraft.ts'
import { type DraftOffers, useDraftOffers } from '#state/use-draft-offers.ts'
import { parseStoredValues, type PriceListValues } from '#features/prices/price-list-form.ts'

/** What stands typed, and over which values: somebody else may have changed the list since. */
export interface PriceListDraft {
  values: PriceListValues
  before: PriceListValues
}

/** Written once nothing has been typed for so long. */
const restMs = 300

function parseDraft(value: unknown): PriceListDraft | null {
  const { values, before } = (value ?? {}) as { values?: unknown; before?: unknown }
  const [typedValues, previousValues] = [parseStoredValues(values), parseStoredValues(before)]
  return typedValues && previousValues && { values: typedValues, before: previousValues }
}

/** The drafts of the form `name`; `base`: the version of the list that it changes. */
export const usePriceDrafts = (name: string, base: string | undefined): DraftOffers<PriceListDraft> =>
  useDraftOffers(drafts, { formName: name, base, parse: parseDraft })

/** Keeps what stands typed on the device, so that it survives a reload and a closed browser. Null: there is nothing to keep. */
export function useSavedDraft(name: string, draft: PriceListDraft | null, base: string | undefined): void {
  const latestDraft = useRef<PriceListDraft | null>(null)
  const { values, before } = draft ?? {}
  useEffect(() => {
    latestDraft.current = values && before ? { values, before } : null
    const timer = setTimeout(() => void drafts.saveDraft(name, latestDraft.current, base), restMs)
    return () => clearTimeout(timer)
  }, [name, values, before, base])
  useEffect(() => {
    // The database would not take it any more: the tab's own storage does.
    const noteDraft = () => void drafts.noteDraft(name, latestDraft.current, base)
    addEventListener('pagehide', noteDraft)
    return () => removeEventListener('pagehide', noteDraft)
  }, [name, base])
  useForgottenDraft(name)
}
