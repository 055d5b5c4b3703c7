import '#features/orders/payment-words.ts'
import { useEffect, useRef, useState } from 'react'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { askOutcome, type Outcome, type Paid } from '#features/orders/payment/payment-api.ts'
import { useStoredPayment } from '#features/orders/payment/useStoredPayment.ts'
import { PaymentNote } from '#features/orders/payment/PaymentStatus.tsx'

/** Between two askings, ms: the gateway's word may be later than the browser, but seldom by much. */
const waits = [500, 1000, 1500, 2000, 3000, 4000, 5000, 8000, 10_000, 15_000]

/** Asks until the last word is said; `onTold` gets it. Says so when that takes long, and can be asked again. */
export function PaymentWait({ paid, onTold }: { paid: Paid; onTold: (outcome: Outcome) => void }) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [round, setRound] = useState(0)
  const [isLate, setLate] = useState(false)
  const { id, contractType = 'CONTRACT' } = paid
  const tell = useRef(onTold)
  useEffect(() => {
    tell.current = onTold
  })
  // biome-ignore lint: a further round begins anew
  useEffect(() => {
    let stands = true
    setLate(false)
    async function ask() {
      for (const ms of waits) {
        await new Promise((over) => setTimeout(over, ms))
        if (!stands) return
        const outcome = await dispatch(askOutcome({ id, contractType }))
        if (!stands) return
        // Null: there is no line. `open`: the payer is back before the gateway has written it down, or never finished.
        if (outcome && outcome !== 'processing' && outcome !== 'open') return tell.current(outcome)
      }
      setLate(true)
    }
    void ask()
    return () => void (stands = false)
  }, [dispatch, id, contractType, round])
  // The page around says that it is paid: then nothing is being checked any more.
  const isPaid = useStoredPayment(paid)
  useEffect(() => {
    if (isPaid) tell.current('paid')
  }, [isPaid])
  if (isPaid !== false) return null
  return (
    <PaymentNote kind={isLate ? 'late' : 'checking'} title={t('checking.title')}>
      <p>{t(isLate ? `checking.late.${contractType}` : 'checking.text')}</p>
      {isLate && (
        <Button icon="refresh" onClick={() => setRound(round + 1)}>
          {t('checking.again')}
        </Button>
      )}
    </PaymentNote>
  )
}
