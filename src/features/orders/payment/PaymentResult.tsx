import '#features/orders/payment-words.ts'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { ClientType } from '#domain/access.ts'
import { grouped } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { PaymentNote } from '#features/orders/payment/PaymentStatus.tsx'
import { PaymentWait } from '#features/orders/payment/PaymentPending.tsx'
import { isOfDraft, type Outcome, type Payable } from '#features/orders/payment/payment-api.ts'

/** As the address says it to a browser that comes back from a gateway (`?payment=`). */
const words = ['paid', 'checking', 'cancelled', 'declined'] as const
type Word = (typeof words)[number]

const noteKinds = { paid: 'paid', received: 'late', declined: 'failed', cancelled: 'cancelled' } as const

interface Props {
  /** `client_type`: of an order of a contract. */
  order: Payable & { client_type?: ClientType }
  /** The order of the page, where it is in effect: a gateway that says "paid" means this one, not what waits beside it. */
  paidOrder?: Props['order'] | null
  /** It is paid, or came to nothing: the page reads anew (M85). */
  onSettled: () => void
}

/**
 * What came of a payment, on the page of what was paid, for whoever comes back from a gateway; nothing for everybody else. What
 * the address says is only said: whether it is paid stands in its row.
 */
export function PaymentReturn({ order: payable, paidOrder = null, onSettled }: Props) {
  const { search } = useLocation()
  const said = new URLSearchParams(search).get('payment')
  const word = words.find((one) => one === said)
  const order = word === 'paid' || word === 'checking' ? (paidOrder ?? payable) : payable
  return word ? <Back key={`${order.id} ${word}`} {...{ order, onSettled, word }} /> : null
}

function Back({ order, onSettled, word }: Omit<Props, 'paidOrder'> & { word: Word }) {
  const { t } = useTranslation('payment')
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [stands, setStands] = useState<Word | 'received'>(word === 'paid' ? 'checking' : word)
  async function told(outcome: Outcome) {
    setStands(outcome === 'paid' || outcome === 'received' || outcome === 'declined' ? outcome : 'cancelled')
    onSettled()
    // Who set out from the wizard comes back to its last step.
    if (outcome === 'paid' && (await isOfDraft(order.id, order.client_type)))
      void navigate('/app/contract/new', { replace: true })
  }
  function close() {
    const rest = new URLSearchParams(search)
    rest.delete('payment')
    rest.delete('paid')
    void navigate({ pathname, search: rest.toString() }, { replace: true })
  }
  const amount = `${order.currency} ${grouped(order.pay_amount ?? '0.00')}`
  if (stands === 'checking') return <PaymentWait paid={order} onTold={(outcome) => void told(outcome)} />
  const date = order.due
  const cancelled = date ? t('cancelled.text', { date }) : t('cancelled.over')
  const texts = {
    paid: t('paid.text', { amount }),
    received: t('received.text'),
    declined: t('declinedNext'),
    cancelled,
  }
  const titles = {
    paid: t('paid.title'),
    received: t('received.title'),
    declined: t('declined'),
    cancelled: t('cancelled.title'),
  }
  return (
    <PaymentNote kind={noteKinds[stands]} title={titles[stands]}>
      <p>{texts[stands]}</p>
      <Button icon="close" onClick={close}>
        {t('dismiss')}
      </Button>
    </PaymentNote>
  )
}
