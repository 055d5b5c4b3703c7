/** Keeps the wizard's step in the address, so that the browser's Back and Forward move between steps (C-24). */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { PlainDate } from '#domain/time.ts'
import { navigateUnguarded } from '#ui/navigation-guard/navigation-guard.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import type { WizardFormDraft, WizardStep } from '#features/orders/draft/wizard-draft.ts'
import { checkInformation } from '#features/orders/draft/wizard-form.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'

/**
 * Returns the last step that can be opened: the first one if its values are invalid. If the order is already created, its values were
 * valid, so they are not checked again.
 */
export function getLastStep(
  { step, values, ordered: createdOrderId }: WizardFormDraft,
  priceData: PriceData,
  today: PlainDate,
): WizardStep {
  if (step === 3) return 3
  if (createdOrderId !== null) return 2
  return checkInformation(values, priceData, today).length > 0 ? 0 : 1
}

/** `?step=2` is the second step, with index 1. Returns null if the address has no step. */
export const parseStep = (text: string | null): WizardStep | null =>
  text !== null && /^[1-4]$/.test(text) ? ((Number(text) - 1) as WizardStep) : null

/**
 * Returns the step in the address or, without one, the draft's step. It is validated only when the address changes, so that a new day or
 * price list does not take the user away from a field. Leaving a finished order opens an empty form. The address of the last step contains
 * the order's id, so that a reload shows its result.
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
      // Navigating to the same step would add a second entry to the browser history.
      if (to !== step) writeStep(to, replace, finishedOrderId)
    },
  ]
}
