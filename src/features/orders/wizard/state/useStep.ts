/** The wizard's steps as addresses: Back and Forward of the browser go through them (C-24). */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { PlainDate } from '#domain/time.ts'
import { navigateUnguarded } from '#ui/navigation-guard/navigation-guard.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import type { WizardFormDraft, WizardStep } from '#features/orders/draft/wizard-draft.ts'
import { checkInformation } from '#features/orders/draft/wizard-form.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'

/** The last step that can be opened: the first whose values are not valid. An order was valid when it was sent. */
export function getLastStep(
  { step, values, ordered: createdOrderId }: WizardFormDraft,
  priceData: PriceData,
  today: PlainDate,
): WizardStep {
  if (step === 3) return 3
  if (createdOrderId !== null) return 2
  return checkInformation(values, priceData, today).length > 0 ? 0 : 1
}

/** From `?step=2`, which is the second; null: the address has none, which is the first. */
export const parseStep = (text: string | null): WizardStep | null =>
  text !== null && /^[1-4]$/.test(text) ? ((Number(text) - 1) as WizardStep) : null

/**
 * The step of the address; without one the page opens at the draft's step. It is checked only when the address changes, so that a new
 * day or price list does not lead away from a field. Leaving a finished order opens an empty form; the address of the last step names
 * its order, so that a reload shows its result.
 */
export function useStep(
  { draft, updateDraft, discard }: Pick<WizardDraftState, 'draft' | 'updateDraft' | 'discard'>,
  priceData: PriceData,
  today: PlainDate,
): [WizardStep, (to: WizardStep, replace?: boolean, finishedOrderId?: number) => void] {
  const [query, setQuery] = useSearchParams()
  const stepParam = query.get('step')
  const getStep = (text: string | null, defaultStep: WizardStep): WizardStep => {
    const requestedStep = parseStep(text) ?? defaultStep
    if (draft.step === 3 && requestedStep !== 3) return 0
    return Math.min(requestedStep, getLastStep(draft, priceData, today)) as WizardStep
  }
  const [position, setPosition] = useState(() => ({ stepParam, step: getStep(stepParam, draft.step) }))
  const step = position.stepParam === stepParam ? position.step : getStep(stepParam, 0)
  if (position.stepParam !== stepParam) setPosition({ stepParam, step })

  const writeStep = (to: WizardStep, shouldReplace: boolean, finishedOrderId?: number) =>
    navigateUnguarded(() =>
      setQuery(
        (params) => {
          if (to === 0) params.delete('step')
          else params.set('step', String(to + 1))
          if (to !== 3) params.delete('order')
          else if (finishedOrderId !== undefined) params.set('order', String(finishedOrderId))
          return params
        },
        { replace: shouldReplace },
      ),
    )
  const handleArrival = useLatestCallback((arrivedStep: WizardStep, arrivedParam: string | null) => {
    if (draft.step === 3 && arrivedStep !== 3) discard()
    else if (draft.step !== arrivedStep) updateDraft((draft) => ({ ...draft, step: arrivedStep }))
    if ((parseStep(arrivedParam) ?? 0) !== arrivedStep) writeStep(arrivedStep, true)
  })
  useEffect(() => handleArrival(step, stepParam), [step, stepParam, handleArrival])

  return [
    step,
    (to, replace = false, finishedOrderId) => {
      updateDraft((current) => ({ ...current, step: to }))
      // The same step again would be an entry of its own for the browser's Back.
      if (to !== step) writeStep(to, replace, finishedOrderId)
    },
  ]
}
