import { Steps as PrimeSteps } from 'primereact/steps'
import { Icon } from '#ui/icons/Icon.tsx'
import { Prime } from '#ui/prime/Prime.tsx'

export interface StepsProps {
  label: string
  steps: readonly string[]
  currentStep: number
}

/** PrimeReact's links have no targets and do not mark the current step, so we render the steps ourselves. */
export default function Steps({ label, steps, currentStep }: StepsProps) {
  const model = steps.map((name, index) => ({
    template: () => (
      <span
        className={index < currentStep ? 'step done' : 'step'}
        aria-current={index === currentStep ? 'step' : undefined}
      >
        <span className="step-sign" aria-hidden="true">
          {index < currentStep ? <Icon name="check" size={16} /> : index + 1}
        </span>
        <span>{name}</span>
      </span>
    ),
  }))
  return (
    <Prime>
      <PrimeSteps unstyled className="steps" aria-label={label} activeIndex={currentStep} model={model} />
    </Prime>
  )
}
