import '#features/orders/payment-words.ts'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router-dom'
import type { RowRef } from '#contract/endpoint.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { ContractFrame } from '#features/orders/ContractFrame.tsx'
import type { PaymentOutcome } from '#features/orders/payment/payment-api.ts'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'
import { PaymentPending } from '#features/orders/payment/PaymentPending.tsx'

interface Props {
  id: RowRef
  listPath: string
  /** Shown to users who have not just paid this order. */
  children: ReactNode
}

/** Shows a payer who returns from a gateway whether money was taken for an order that no longer has a page. */
export function LatePayment({ id, listPath, children }: Props) {
  const { t } = useTranslation('contract')
  const { t: tPayment } = useTranslation('payment')
  const { search } = useLocation()
  const [outcome, setOutcome] = useState<PaymentOutcome | null>(null)
  const returnStatus = new URLSearchParams(search).get('payment')
  const hasReturnedFromPaying = returnStatus === 'paid' || returnStatus === 'checking'
  if (!hasReturnedFromPaying || (outcome !== null && outcome !== 'received')) return children
  return (
    <ContractFrame>
      {outcome === null ? (
        <PaymentPending target={{ id }} onOutcome={setOutcome} />
      ) : (
        <PaymentStatus kind="late" title={tPayment('received.title')}>
          <p>{tPayment('received.text')}</p>
          <ButtonLink to={listPath}>{t('unknown.all')}</ButtonLink>
        </PaymentStatus>
      )}
    </ContractFrame>
  )
}
