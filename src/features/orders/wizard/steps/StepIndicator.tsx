import { lazy, memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { WizardStep } from '#features/orders/draft/wizard-draft.ts'

const PrimeSteps = lazy(() => import(/* chunk: prime */ '#ui/prime/Steps.tsx'))
const steps: readonly WizardStep[] = [0, 1, 2, 3]

/** Where one is on the way; the way itself is walked by Back and Next, so that nothing is skipped. */
export const StepIndicator = memo(function StepIndicator({ currentStep }: { currentStep: WizardStep }) {
  const { t } = useTranslation('wizard')
  return (
    <Suspense fallback={<div className="steps" />}>
      <PrimeSteps label={t('steps.label')} steps={steps.map((step) => t(`steps.${step}`))} currentStep={currentStep} />
    </Suspense>
  )
})
