import { lazy, memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { steps, type WizardStep } from '#features/orders/draft/wizard-draft.ts'

const PrimeSteps = lazy(() => import(/* chunk: prime */ '#ui/prime/Steps.tsx'))

/** Shows the current step. Steps are not clickable, so that no step is skipped. Back and Next are used instead. */
export const StepIndicator = memo(function StepIndicator({ currentStep }: { currentStep: WizardStep }) {
  const { t } = useTranslation('wizard')
  return (
    <Suspense fallback={<div className="steps" />}>
      <PrimeSteps label={t('steps.label')} steps={steps.map((step) => t(`steps.${step}`))} currentStep={currentStep} />
    </Suspense>
  )
})
