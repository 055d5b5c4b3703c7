import '#features/orders/contract-words.ts'
import { useEffect } from 'react'
import { isOffline } from '#contract/problem.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { useOrder } from '#features/orders/change/useContract.ts'
import { Finish } from '#features/orders/wizard/steps/ResultStep.tsx'
import { Steps } from '#features/orders/wizard/steps/StepIndicator.tsx'

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
  const { shown, problem, busy, again } = useOrder(id)
  const row = shown?.row ?? null
  const isNone = row ? row.state === 'unpaid' || row.state === 'invalid' : problem?.code === 'NOT_FOUND'
  useEffect(() => {
    if (isNone && !busy) onNone()
    // Once it is known.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isNone, busy])
  return (
    <div className="wizard">
      <Steps now={3} />
      {!row && isOffline(problem) && (
        <section className="card">
          <EmptyState icon="offline" title={t('missing')}>
            {t('missingOffline')}
          </EmptyState>
        </section>
      )}
      {!row && <ProblemNote problem={isOffline(problem) ? null : problem} onRetry={() => void again()} />}
      {!row && !problem && <Skeleton lines={6} />}
      {row && !isNone && <Finish order={row} today={today} onAgain={onAgain} />}
    </div>
  )
}
