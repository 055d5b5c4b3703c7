/** The wizard's steps as addresses: Back and Forward of the browser go through them (C-24). */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { PlainDate } from '#domain/time.ts'
import { goFreely } from '#ui/navigation-guard/NavigationGuard.tsx'
import { useLatest } from '#features/orders/quote/useLatest.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import type { Draft, Step } from '#features/orders/draft/wizard-draft.ts'
import { checkInformation } from '#features/orders/draft/wizard-form.ts'
import type { WizardDraft } from '#features/orders/draft/useWizardDraft.ts'

/** The last step that can be stood on: the first that is not right yet. What was ordered was right then. */
export function lastStepOf({ step, values, ordered }: Draft, market: PriceData, today: PlainDate): Step {
  if (step === 3) return 3
  if (ordered !== null) return 2
  return checkInformation(values, market, today).length > 0 ? 0 : 1
}

/** From `?step=2`, which is the second; null: the address says none, which is the first. */
export const stepAsked = (text: string | null): Step | null =>
  text !== null && /^[1-4]$/.test(text) ? ((Number(text) - 1) as Step) : null

/**
 * The step of the address; whoever arrives without one comes to where the draft was left. It is looked at as it comes, so that
 * nobody is led away from a field because the day or a price list has changed. What was finished is left for an empty form; the
 * address of the last step names its order, so that a reload shows its result.
 */
export function useStep(
  { draft, change, discard }: Pick<WizardDraft, 'draft' | 'change' | 'discard'>,
  market: PriceData,
  today: PlainDate,
): [Step, (to: Step, replace?: boolean, finished?: number) => void] {
  const [query, setQuery] = useSearchParams()
  const asked = query.get('step')
  const stepFor = (text: string | null, otherwise: Step): Step => {
    const wanted = stepAsked(text) ?? otherwise
    if (draft.step === 3 && wanted !== 3) return 0
    return Math.min(wanted, lastStepOf(draft, market, today)) as Step
  }
  const [at, setAt] = useState(() => ({ asked, step: stepFor(asked, draft.step) }))
  const step = at.asked === asked ? at.step : stepFor(asked, 0)
  if (at.asked !== asked) setAt({ asked, step })

  const say = (to: Step, replace: boolean, finished?: number) =>
    goFreely(() =>
      setQuery(
        (now) => {
          if (to === 0) now.delete('step')
          else now.set('step', String(to + 1))
          if (to !== 3) now.delete('order')
          else if (finished !== undefined) now.set('order', String(finished))
          return now
        },
        { replace },
      ),
    )
  const arrived = useLatest((now: Step, told: string | null) => {
    if (draft.step === 3 && now !== 3) discard()
    else if (draft.step !== now) change((before) => ({ ...before, step: now }))
    if ((stepAsked(told) ?? 0) !== now) say(now, true)
  })
  useEffect(() => arrived(step, asked), [step, asked, arrived])

  return [
    step,
    (to, replace = false, finished) => {
      change((now) => ({ ...now, step: to }))
      // Going back in the address to where one stands would be a step of its own for the browser's Back.
      if (to !== step) say(to, replace, finished)
    },
  ]
}
