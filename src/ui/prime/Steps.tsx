import { Steps as PrimeSteps } from 'primereact/steps'
import { Icon } from '#ui/icons/Icon.tsx'
import { Prime } from '#ui/prime/Prime.tsx'

export interface StepsProps {
  /** What the way is called. */
  label: string
  steps: readonly string[]
  /** The step one is at, from 0. */
  now: number
}

/** Its own links lead nowhere and do not say which step is the current one: what stands in a step is ours. */
export default function Steps({ label, steps, now }: StepsProps) {
  const model = steps.map((name, at) => ({
    template: () => (
      <span className={at < now ? 'step done' : 'step'} aria-current={at === now ? 'step' : undefined}>
        <span className="step-sign" aria-hidden="true">
          {at < now ? <Icon name="check" size={16} /> : at + 1}
        </span>
        <span>{name}</span>
      </span>
    ),
  }))
  return (
    <Prime>
      <PrimeSteps unstyled className="steps" aria-label={label} activeIndex={now} model={model} />
    </Prime>
  )
}
