import '#features/orders/contract-words.ts'
import { useEffect } from 'react'
import { isOffline } from '#contract/problem.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { useOrder } from '#features/orders/change/useOrder.ts'
import { ResultStep } from '#features/orders/wizard/steps/ResultStep.tsx'
import { StepIndicator } from '#features/orders/wizard/steps/StepIndicator.tsx'

interface Props {
  id: number
  today: string
  /** There is no such order, or it is not paid: what the address says of the result is not so. */
  onNone: () => void
  onAgain: () => void
}

/** The result of an order after a reload: its draft is gone, and the order itself says what became of it. */
export function FinishedOrder({ id, today, onNone, onAgain }: Props) {
  const { t } = useTranslation('contract')
  const { overlaidRow, problem, busy: isBusy, refetch } = useOrder(id)
  const row = overlaidRow?.row ?? null
  const isNotFinished = row ? row.state === 'unpaid' || row.state === 'invalid' : problem?.code === 'NOT_FOUND'
  useEffect(() => {
    if (isNotFinished && !isBusy) onNone()
    // Once it is known.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isNotFinished, isBusy])
  return (
    <div className="wizard">
      <StepIndicator currentStep={3} />
      {!row && isOffline(problem) && (
        <section className="card">
          <EmptyState icon="offline" title={t('missing')}>
            {t('missingOffline')}
          </EmptyState>
        </section>
      )}
      {!row && <ProblemNote problem={isOffline(problem) ? null : problem} onRetry={() => void refetch()} />}
      {!row && !problem && <Skeleton lines={6} />}
      {row && !isNotFinished && <ResultStep order={row} today={today} onAgain={onAgain} />}
    </div>
  )
}
