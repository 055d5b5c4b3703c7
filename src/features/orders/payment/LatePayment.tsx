import '#features/orders/payment-words.ts'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router-dom'
import type { Id } from '#contract/endpoint.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import type { Outcome } from '#features/orders/payment/payment-api.ts'
import { PaymentNote } from '#features/orders/payment/PaymentStatus.tsx'
import { PaymentWait } from '#features/orders/payment/PaymentPending.tsx'

interface Props {
  id: Id
  listPath: string
  /** What is shown of an order without a page to everybody who did not just pay it. */
  children: ReactNode
}

/** Tells a payer who returns from a gateway to an order without a page whether the money was taken, and what happens to it. */
export function LatePayment({ id, listPath, children }: Props) {
  const { t } = useTranslation('contract')
  const { t: payment } = useTranslation('payment')
  const { search } = useLocation()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const returnStatus = new URLSearchParams(search).get('payment')
  const isBackFromPaying = returnStatus === 'paid' || returnStatus === 'checking'
  if (!isBackFromPaying || (outcome !== null && outcome !== 'received')) return children
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: listPath }]}>
      <Sheet />
      {outcome === null ? (
        <PaymentWait paid={{ id }} onTold={setOutcome} />
      ) : (
        <PaymentNote kind="late" title={payment('received.title')}>
          <p>{payment('received.text')}</p>
          <ButtonLink to={listPath}>{t('unknown.all')}</ButtonLink>
        </PaymentNote>
      )}
    </Page>
  )
}
