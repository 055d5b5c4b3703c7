import { useCallback, useEffect, useRef, useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import {
  type WizardFormDraft,
  parseDraft,
  getDraftName,
  isWorthSaving,
  createDraft,
} from '#features/orders/draft/wizard-draft.ts'
import type { WizardValues } from '#features/orders/draft/wizard-form.ts'

/** Time without changes after which the draft is saved, and maximum time between two saves, ms. Moving a slider then causes few writes. */
const idleMs = 250
const maxMs = 1000

export interface WizardDraftState {
  draft: WizardFormDraft
  updateDraft: (update: (draft: WizardFormDraft) => WizardFormDraft) => void
  /** Time of the last save by this device's clock, in epoch ms. Null if the draft is empty. */
  savedAt: number | null
  /** Whether the device could not save the draft. It is then lost when the user leaves the page. */
  isUnsaved: boolean
  discard: () => void
  offer: DraftOffer | null
  /** Puts the offered draft into the form and offers the replaced draft. Returns null if the offer no longer exists. */
  acceptOffer: () => WizardFormDraft | null
  discardOffer: () => void
}

/** Returns null until the device has been read, and while `emptyValues` (an empty form's values) is null. */
export function useWizardDraft(type: string, emptyValues: WizardValues | null): WizardDraftState | null {
  const name = getDraftName(type)
  const [draft, setDraft] = useState<WizardFormDraft | null>(null)
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const [isUnsaved, setUnsaved] = useState(false)
  const emptyValuesRef = useRef(emptyValues)
  const isReady = emptyValues !== null
  const storedDraft = useRef<WizardFormDraft | null>(null)
  const storedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    emptyValuesRef.current = emptyValues
  })

  const {
    ownDraft,
    offer: draftOffer,
    accept: acceptDraft,
    discard: discardOffer,
  } = useDraftOffers<WizardFormDraft>(drafts, {
    formName: name,
    parse: (value) => (emptyValuesRef.current ? parseDraft(value, emptyValuesRef.current) : (value as WizardFormDraft)),
  })
  useEffect(() => {
    if (!isReady || ownDraft === undefined || !emptyValuesRef.current || storedDraft.current) return
    const parsedDraft = ownDraft && parseDraft(ownDraft.value, emptyValuesRef.current)
    storedDraft.current = parsedDraft ?? createDraft(emptyValuesRef.current)
    setDraft(storedDraft.current)
    setSavedAt(parsedDraft && ownDraft ? ownDraft.savedAt : null)
  }, [isReady, ownDraft])

  const saveDraft = useCallback(
    async (newDraft: WizardFormDraft | null) => {
      if (!newDraft || !emptyValuesRef.current || newDraft === storedDraft.current) return
      storedDraft.current = newDraft
      storedAt.current = performance.now()
      const shouldSave = isWorthSaving(newDraft, emptyValuesRef.current)
      const isSaved = await drafts.saveDraft(name, shouldSave ? newDraft : null)
      setUnsaved(!isSaved && shouldSave)
      // Rounded down to the minute, as it is displayed.
      setSavedAt(isSaved && shouldSave ? Math.floor(Date.now() / 60_000) * 60_000 : null)
    },
    [name],
  )
  const latestDraft = useRef<WizardFormDraft | null>(null)
  const { step, agreed: agreedQuote, ordered: createdOrderId, intent } = draft ?? {}
  useEffect(() => {
    latestDraft.current = draft
    if (draft && emptyValuesRef.current && draft !== storedDraft.current)
      drafts.noteDraft(name, isWorthSaving(draft, emptyValuesRef.current) ? draft : null)
    // Continuous changes are saved once per `maxMs`. Until then, `noteDraft` keeps the latest draft in the tab's storage.
    const remainingMs = storedAt.current + maxMs - performance.now()
    const timer = setTimeout(() => void saveDraft(draft), Math.min(idleMs, remainingMs))
    return () => clearTimeout(timer)
  }, [draft, saveDraft, name])
  // Decisions (step, agreed quote, created order, intent) are saved immediately.
  // biome-ignore lint: they are the reason, not the means
  useEffect(() => void saveDraft(latestDraft.current), [step, agreedQuote, createdOrderId, intent, saveDraft])
  // The page may be closed at any time, so the draft is also saved when the page is hidden.
  useEffect(() => {
    const flushDraft = () => void saveDraft(latestDraft.current)
    document.addEventListener('visibilitychange', flushDraft)
    addEventListener('pagehide', flushDraft)
    return () => {
      document.removeEventListener('visibilitychange', flushDraft)
      removeEventListener('pagehide', flushDraft)
      flushDraft()
    }
  }, [saveDraft])

  const updateDraft = useCallback(
    (update: (draft: WizardFormDraft) => WizardFormDraft) =>
      setDraft((currentDraft) => currentDraft && update(currentDraft)),
    [],
  )
  const discard = useCallback(() => emptyValuesRef.current && setDraft(createDraft(emptyValuesRef.current)), [])
  const acceptOffer = () => {
    const isTyped = draft && emptyValuesRef.current && isWorthSaving(draft, emptyValuesRef.current)
    const acceptedDraft = acceptDraft(isTyped ? draft : null)
    const parsedDraft =
      acceptedDraft && emptyValuesRef.current ? parseDraft(acceptedDraft, emptyValuesRef.current) : acceptedDraft
    if (parsedDraft) setDraft(parsedDraft)
    return parsedDraft
  }
  return draft && { draft, savedAt, isUnsaved, updateDraft, discard, offer: draftOffer, acceptOffer, discardOffer }
}
