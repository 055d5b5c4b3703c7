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

/** Written once nothing has changed for so long, and after `maxMs` at the latest: a slider does not write a hundred times. */
const idleMs = 250
const maxMs = 1000

export interface WizardDraftState {
  draft: WizardFormDraft
  /** What the draft becomes by it. */
  updateDraft: (update: (draft: WizardFormDraft) => WizardFormDraft) => void
  /** When what stands here was kept, this device's clock, epoch ms; null: there is nothing to keep. */
  savedAt: number | null
  /** This device could not keep it: leaving would lose it. */
  isUnsaved: boolean
  discard: () => void
  /** A draft of an earlier visit; null: there is none. */
  offer: DraftOffer | null
  /** Puts the offered draft into the form, and offers what stood there. Null: there is none any more. */
  acceptOffer: () => WizardFormDraft | null
  discardOffer: () => void
}

/** The draft of this device. Null until the device has been asked, and while `emptyValues`, an empty form's values, is null. */
export function useWizardDraft(type: string, emptyValues: WizardValues | null): WizardDraftState | null {
  const name = getDraftName(type)
  const [draft, setDraft] = useState<WizardFormDraft | null>(null)
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const [isUnsaved, setUnsaved] = useState(false)
  const emptyValuesRef = useRef(emptyValues)
  const isReady = emptyValues !== null
  /** As the device has it already. */
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
      // To the minute, as it is shown.
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
    // The first change at once, and while they follow each other the last one of every while; what stands between is noted.
    const remainingMs = storedAt.current + maxMs - performance.now()
    const timer = setTimeout(() => void saveDraft(draft), Math.min(idleMs, remainingMs))
    return () => clearTimeout(timer)
  }, [draft, saveDraft, name])
  // What was decided is kept at once.
  // biome-ignore lint: they are the reason, not the means
  useEffect(() => void saveDraft(latestDraft.current), [step, agreedQuote, createdOrderId, intent, saveDraft])
  // The page may go at any time.
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
