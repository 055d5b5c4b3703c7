import { lazy, memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Step } from '#features/orders/draft/wizard-draft.ts'

const Row = lazy(() => import(/* chunk: prime */ '#ui/prime/Steps.tsx'))
const steps: readonly Step[] = [0, 1, 2, 3]

/** Where one is on the way; the way itself is walked by Back and Next, so that nothing is skipped. */
export const Steps = memo(function Steps({ now }: { now: Step }) {
  const { t } = useTranslation('wizard')
  return (
    <Suspense fallback={<div className="steps" />}>
      <Row label={t('steps.label')} steps={steps.map((step) => t(`steps.${step}`))} now={now} />
    </Suspense>
  )
})
