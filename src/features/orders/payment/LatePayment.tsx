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
  list: string
  /** What is shown of an order without a page to everybody who did not just pay it. */
  children: ReactNode
}

/** Whoever comes back from a gateway to an order that has no page any more: was their money taken, and what becomes of it? */
export function LatePayment({ id, list, children }: Props) {
  const { t } = useTranslation('contract')
  const { t: payment } = useTranslation('payment')
  const { search } = useLocation()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const said = new URLSearchParams(search).get('payment')
  const hasPaid = said === 'paid' || said === 'checking'
  if (!hasPaid || (outcome !== null && outcome !== 'received')) return children
  return (
    <Page title={t('title')} crumbs={[{ label: t('list'), to: list }]}>
      <Sheet />
      {outcome === null ? (
        <PaymentWait paid={{ id }} onTold={setOutcome} />
      ) : (
        <PaymentNote kind="late" title={payment('received.title')}>
          <p>{payment('received.text')}</p>
          <ButtonLink to={list}>{t('unknown.all')}</ButtonLink>
        </PaymentNote>
      )}
    </Page>
  )
}
