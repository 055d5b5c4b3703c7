import { memo } from 'react'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'
import type { Step } from '#features/orders/drafting.ts'

const steps: readonly Step[] = [0, 1, 2, 3]

/** Where one is on the way; the way itself is walked by Back and Next, so that nothing is skipped. */
export const Steps = memo(function Steps({ now }: { now: Step }) {
  const t = useWords('wizard')
  return (
    <ol className="steps" aria-label={t('steps.label')}>
      {steps.map((step) => (
        <li key={step} className={step < now ? 'done' : ''} aria-current={step === now ? 'step' : undefined}>
          <span className="step-sign" aria-hidden="true">
            {step < now ? <Icon name="check" size={16} /> : step + 1}
          </span>
          <span>{t(`steps.${step}`)}</span>
        </li>
      ))}
    </ol>
  )
})
