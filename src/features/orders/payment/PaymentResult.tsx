import '#features/orders/payment-words.ts'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { ClientType } from '#domain/access.ts'
import { groupThousands } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { PaymentStatus } from '#features/orders/payment/PaymentStatus.tsx'
import { PaymentPending } from '#features/orders/payment/PaymentPending.tsx'
import {
  isDraftOrder,
  type PayableOrder,
  type PaymentOutcome,
  type PaymentTarget,
} from '#features/orders/payment/payment-api.ts'

/** Values of `?payment=` in the address when the payer returns from a gateway. */
const returnStatuses = ['paid', 'checking', 'cancelled', 'declined'] as const
type ReturnStatus = (typeof returnStatuses)[number]

const notes = {
  paid: { kind: 'paid', title: 'paid.title', text: 'paid.text' },
  received: { kind: 'late', title: 'received.title', text: 'received.text' },
  declined: { kind: 'failed', title: 'declined', text: 'declinedNext' },
  cancelled: { kind: 'cancelled', title: 'cancelled.title', text: 'cancelled.text' },
} as const

interface Props {
  /** `client_type` is set if it is an order of a contract. */
  order: PaymentTarget &
    Pick<PayableOrder, 'pay_amount' | 'due'> & {
      /** Not known for several items. */
      currency?: PayableOrder['currency']
      client_type?: ClientType
    }
  /** The page's order if it is in effect. A "paid" in the gateway's address means this order and not its unpaid change. */
  paidOrder?: Props['order'] | null
  /** Called when the payment has succeeded or failed. The page then fetches its rows again (M85). */
  onSettled: () => void
}

/** Shows the result to a payer who returns from a gateway. The address is no proof of payment; only the order's row is. */
export function PaymentResult({ order: ownPayable, paidOrder = null, onSettled }: Props) {
  const { search } = useLocation()
  const statusParam = new URLSearchParams(search).get('payment')
  const status = returnStatuses.find((candidate) => candidate === statusParam)
  const order = status === 'paid' || status === 'checking' ? (paidOrder ?? ownPayable) : ownPayable
  return status ? (
    <ReturnedPayment key={`${order.id} ${status}`} {...{ order, onSettled, initialStatus: status }} />
  ) : null
}

function ReturnedPayment({
  order,
  onSettled,
  initialStatus,
}: Omit<Props, 'paidOrder'> & { initialStatus: ReturnStatus }) {
  const { t } = useTranslation('payment')
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [status, setStatus] = useState<ReturnStatus | 'received'>(initialStatus === 'paid' ? 'checking' : initialStatus)
  async function handleOutcome(outcome: PaymentOutcome) {
    setStatus(outcome === 'paid' || outcome === 'received' || outcome === 'declined' ? outcome : 'cancelled')
    onSettled()
    // A payer who came from the wizard returns to its last step.
    if (outcome === 'paid' && (await isDraftOrder(order.id, order.client_type)))
      void navigate('/app/contract/new', { replace: true })
  }
  function close() {
    const query = new URLSearchParams(search)
    query.delete('payment')
    query.delete('paid')
    if (order.items) query.delete('pay')
    void navigate({ pathname, search: query.toString() }, { replace: true })
  }
  const amount = `${order.currency ?? ''} ${groupThousands(order.pay_amount ?? '0.00')}`
  if (status === 'checking')
    return <PaymentPending target={order} onOutcome={(outcome) => void handleOutcome(outcome)} />
  const { kind, title, text } = notes[status]
  const date = order.due
  const count = order.items?.length ?? 1
  const getText = () => {
    if (status === 'paid' && count > 1) return t('paid.items', { count, number: formatNumber(count) })
    return date || status !== 'cancelled' ? t(text, { amount, date }) : t('cancelled.over')
  }
  return (
    <PaymentStatus kind={kind} title={t(status === 'received' && count > 1 ? 'received.titleItems' : title)}>
      <p>{getText()}</p>
      <Button icon="close" onClick={close}>
        {t('dismiss')}
      </Button>
    </PaymentStatus>
  )
}
