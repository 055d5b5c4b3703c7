import { useEffect, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { OrderMade } from '#features/orders/wizard/steps/OrderConfirmation.tsx'
import { PaymentPanel } from '#features/orders/payment/PaymentPanel.tsx'
import { PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { readOrder } from '#features/orders/draft/submit-order.ts'
import type { PriceData, ServerQuote } from '#features/orders/quote/local-quote.ts'
import { askListed } from '#features/orders/slice.ts'

interface Props {
  id: number
  /** As it was just made; null after a reload. */
  made: OrderRow | null
  told: ServerQuote | null
  market: PriceData
  onBack: () => void
  onPaid: (order: OrderRow) => void
  /** It can no longer be paid: run out, deleted or replaced elsewhere. */
  onGone: () => void
}

/** The third step: the order stands, and is paid here or, for seven days, from its own page. */
export function OrderStep({ id, made, told, market, onBack, onPaid, onGone }: Props) {
  const { t } = useTranslation('wizard')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [read, setRead] = useState<OrderRow | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const order = made?.id === id ? made : read
  const isNew = order !== null

  useEffect(() => {
    if (isNew) return
    let stands = true
    void dispatch(readOrder(id)).then((result) => {
      if (!stands) return
      if (result.kind === 'problem') return result.problem.code === 'NOT_FOUND' ? onGone() : setProblem(result.problem)
      const found = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
      if (!found) return
      setProblem(null)
      // Meanwhile it may have been paid, or have run out.
      if (found.state === 'invalid') onGone()
      else if (found.state === 'unpaid') setRead(found)
      else onPaid(found)
    })
    return () => void (stands = false)
    // Asked once for each order, and again with each line.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dispatch, id, isNew, line])

  /** With the number of the contract that it has become. */
  async function paid() {
    const result = await dispatch(readOrder(id))
    const now = result.kind === 'fresh' ? result.output : order
    if (!now) return
    void dispatch(askListed(now))
    onPaid(now)
  }

  return (
    <PricedLayout
      label={t('price.label')}
      bar={<div className="price-pay">{order && <PaymentPanel order={order} onPaid={() => void paid()} />}</div>}
    >
      <section className="card form">
        <h2 tabIndex={-1}>{t('steps.2')}</h2>
        <ProblemNote problem={problem} />
        {!order && !problem && <Skeleton lines={6} />}
        {order && (
          <>
            <p className="made-lead">{t('made.lead', { code: order.code })}</p>
            <OrderMade order={order} told={told} market={market} />
          </>
        )}
        <div className="page-form-acts">
          <Button onClick={onBack}>{t('back')}</Button>
          <ButtonLink to="/app/contract">{t('made.later')}</ButtonLink>
        </div>
      </section>
    </PricedLayout>
  )
}
