import '#features/orders/contract-words.ts'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useOrder } from '#features/orders/change/useOrder.ts'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { ResultStep } from '#features/orders/wizard/steps/ResultStep.tsx'
import { StepIndicator } from '#features/orders/wizard/steps/StepIndicator.tsx'

interface Props {
  id: number
  today: string
  onNone: () => void
  onAgain: () => void
}

/** Shows the result of an order after a reload. It is read from the order itself, because the draft is deleted. */
export function FinishedOrder({ id, today, onNone, onAgain }: Props) {
  const { t } = useTranslation('contract')
  const { overlaidRow, problem, isFetching, refetch } = useOrder(id)
  const row = overlaidRow?.row ?? null
  const isNotFinished = row ? row.state === 'unpaid' || row.state === 'invalid' : problem?.code === 'NOT_FOUND'
  useEffect(() => {
    if (isNotFinished && !isFetching) onNone()
    // Waits until the order has been fetched.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isNotFinished, isFetching])
  return (
    <div className="wizard">
      <StepIndicator currentStep={3} />
      {!row && (
        <LoadPlaceholder
          problem={problem}
          offlineTitle={t('missing')}
          offlineText={t('missingOffline')}
          onRetry={() => void refetch()}
        />
      )}
      {row && !isNotFinished && <ResultStep order={row} today={today} onAgain={onAgain} />}
    </div>
  )
}
