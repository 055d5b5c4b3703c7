import '#features/orders/payment-words.ts'
import { useEffect, useState } from 'react'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { fetchPaymentOutcome, type PaymentOutcome, type PaymentTarget } from '#features/orders/payment/payment-api.ts'
import { useStoredPayment } from '#features/orders/payment/useStoredPayment.ts'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'

/** Waits between two requests, in ms. The gateway may report after the payer has returned, but seldom much later. */
const waitsMs = [500, 1000, 1500, 2000, 3000, 4000, 5000, 8000, 10_000, 15_000]

/** Polls until the outcome is final. After the last poll, shows a button to check again. */
export function PaymentPending({
  target,
  onOutcome,
}: {
  target: PaymentTarget
  onOutcome: (outcome: PaymentOutcome) => void
}) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [round, setRound] = useState(0)
  const [isLate, setLate] = useState(false)
  const { id, contractType = 'CONTRACT', items } = target
  const names = (items ?? [{ id, contractType }]).map((item) => `${item.contractType}-${item.id}`).join(',')
  const fetchOutcome = useLatestCallback(() => dispatch(fetchPaymentOutcome(target)))
  const handleOutcome = useLatestCallback(onOutcome)
  // biome-ignore lint: a further round starts over
  useEffect(() => {
    let isActive = true
    setLate(false)
    async function pollOutcome() {
      for (const ms of waitsMs) {
        await new Promise((resolve) => setTimeout(resolve, ms))
        if (!isActive) return
        const outcome = await fetchOutcome()
        if (!isActive) return
        // The outcome is null while offline. `open`: the gateway has not recorded the payment yet, or the payer did not finish it.
        if (outcome && outcome !== 'processing' && outcome !== 'open') return handleOutcome(outcome)
      }
      setLate(true)
    }
    void pollOutcome()
    return () => void (isActive = false)
  }, [fetchOutcome, names, round, handleOutcome])
  // Stops checking once the stored row is marked as paid.
  const isPaid = useStoredPayment(target)
  useEffect(() => {
    if (isPaid) handleOutcome('paid')
  }, [isPaid, handleOutcome])
  if (isPaid !== false) return null
  return (
    <PaymentStatus kind={isLate ? 'late' : 'checking'} title={t('checking.title')}>
      <p>{t(isLate ? `checking.late.${items ? 'items' : contractType}` : 'checking.text')}</p>
      {isLate && (
        <Button icon="refresh" onClick={() => setRound(round + 1)}>
          {t('checking.again')}
        </Button>
      )}
    </PaymentStatus>
  )
}
