import { useCallback, useEffect, useRef, useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import { type Draft, draftFrom, draftName, isWorthKeeping, newDraft } from '#features/orders/draft/wizard-draft.ts'
import type { Values } from '#features/orders/draft/wizard-form.ts'

/** Written once nothing has changed for so long, and after `maxMs` at the latest: a slider does not write a hundred times. */
const restMs = 250
const maxMs = 1000

export interface WizardDraft {
  draft: Draft
  /** What the draft becomes by it. */
  change: (next: (now: Draft) => Draft) => void
  /** When what stands here was kept, this device's clock, epoch ms; null: there is nothing to keep. */
  keptAt: number | null
  /** This device could not keep it: leaving would lose it. */
  unkept: boolean
  discard: () => void
  /** A draft of an earlier visit; null: there is none. */
  offer: DraftOffer | null
  /** Puts the offered draft into the form, and offers what stood there. Null: there is none any more. */
  acceptOffer: () => Draft | null
  discardOffer: () => void
}

/** The draft of this device. Null until the device has been asked, and while `fresh`, an empty form's values, is null. */
export function useWizardDraft(type: string, fresh: Values | null): WizardDraft | null {
  const name = draftName(type)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [keptAt, setKeptAt] = useState<number | null>(null)
  const [unkept, setUnkept] = useState(false)
  const plain = useRef(fresh)
  const isReady = fresh !== null
  /** As the device has it already. */
  const stored = useRef<Draft | null>(null)
  const storedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    plain.current = fresh
  })

  const {
    own,
    offer,
    accept,
    discard: discardOffer,
  } = useDraftOffers<Draft>(drafts, {
    form: name,
    parse: (value) => (plain.current ? draftFrom(value, plain.current) : (value as Draft)),
  })
  useEffect(() => {
    if (!isReady || own === undefined || !plain.current || stored.current) return
    const found = own && draftFrom(own.value, plain.current)
    stored.current = found ?? newDraft(plain.current)
    setDraft(stored.current)
    setKeptAt(found && own ? own.at : null)
  }, [isReady, own])

  const keep = useCallback(
    async (latest: Draft | null) => {
      if (!latest || !plain.current || latest === stored.current) return
      stored.current = latest
      storedAt.current = performance.now()
      const isWorth = isWorthKeeping(latest, plain.current)
      const isKept = await drafts.saveDraft(name, isWorth ? latest : null)
      setUnkept(!isKept && isWorth)
      // To the minute, as it is shown.
      setKeptAt(isKept && isWorth ? Math.floor(Date.now() / 60_000) * 60_000 : null)
    },
    [name],
  )
  const latest = useRef<Draft | null>(null)
  const { step, agreed, ordered, intent } = draft ?? {}
  useEffect(() => {
    latest.current = draft
    if (draft && plain.current && draft !== stored.current)
      drafts.noteDraft(name, isWorthKeeping(draft, plain.current) ? draft : null)
    // The first change at once, and while they follow each other the last one of every while; what stands between is noted.
    const left = storedAt.current + maxMs - performance.now()
    const timer = setTimeout(() => void keep(draft), Math.min(restMs, left))
    return () => clearTimeout(timer)
  }, [draft, keep, name])
  // What was decided is kept at once.
  // biome-ignore lint: they are the reason, not the means
  useEffect(() => void keep(latest.current), [step, agreed, ordered, intent, keep])
  // The page may go at any time.
  useEffect(() => {
    const flush = () => void keep(latest.current)
    document.addEventListener('visibilitychange', flush)
    addEventListener('pagehide', flush)
    return () => {
      document.removeEventListener('visibilitychange', flush)
      removeEventListener('pagehide', flush)
      flush()
    }
  }, [keep])

  const change = useCallback((next: (now: Draft) => Draft) => setDraft((now) => now && next(now)), [])
  const discard = useCallback(() => plain.current && setDraft(newDraft(plain.current)), [])
  const acceptOffer = () => {
    const isTyped = draft && plain.current && isWorthKeeping(draft, plain.current)
    const accepted = accept(isTyped ? draft : null)
    const known = accepted && plain.current ? draftFrom(accepted, plain.current) : accepted
    if (known) setDraft(known)
    return known
  }
  return draft && { draft, keptAt, unkept, change, discard, offer, acceptOffer, discardOffer }
}
