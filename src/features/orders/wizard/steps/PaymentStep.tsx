import { useEffect, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { OrderConfirmation } from '#features/orders/wizard/steps/OrderConfirmation.tsx'
import { PaymentPanel } from '#features/orders/payment/PaymentPanel.tsx'
import { PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { readOrder } from '#features/orders/draft/submit-order.ts'
import type { PriceData, ServerQuote } from '#features/orders/quote/local-quote.ts'
import { refreshListedOrder } from '#features/orders/slice.ts'

interface Props {
  id: number
  /** As it was just made; null after a reload. */
  createdOrder: OrderRow | null
  serverQuote: ServerQuote | null
  priceData: PriceData
  onBack: () => void
  onPaid: (order: OrderRow) => void
  /** It can no longer be paid: run out, deleted or replaced elsewhere. */
  onInvalid: () => void
}

/** The third step: the order stands, and is paid here or, for seven days, from its own page. */
export function PaymentStep({ id, createdOrder, serverQuote, priceData, onBack, onPaid, onInvalid }: Props) {
  const { t } = useTranslation('wizard')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [loadedOrder, setLoadedOrder] = useState<OrderRow | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const order = createdOrder?.id === id ? createdOrder : loadedOrder
  const isNew = order !== null

  useEffect(() => {
    if (isNew) return
    let isActive = true
    void dispatch(readOrder(id)).then((result) => {
      if (!isActive) return
      if (result.kind === 'problem')
        return result.problem.code === 'NOT_FOUND' ? onInvalid() : setProblem(result.problem)
      const latestOrder = result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
      if (!latestOrder) return
      setProblem(null)
      // Meanwhile it may have been paid, or have run out.
      if (latestOrder.state === 'invalid') onInvalid()
      else if (latestOrder.state === 'unpaid') setLoadedOrder(latestOrder)
      else onPaid(latestOrder)
    })
    return () => void (isActive = false)
    // Asked once for each order, and again with each line.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [dispatch, id, isNew, connection])

  /** With the number of the contract that it has become. */
  async function handlePaid() {
    const result = await dispatch(readOrder(id))
    const latestOrder = result.kind === 'fresh' ? result.output : order
    if (!latestOrder) return
    void dispatch(refreshListedOrder(latestOrder))
    onPaid(latestOrder)
  }

  return (
    <PricedLayout
      label={t('price.label')}
      bar={<div className="price-pay">{order && <PaymentPanel order={order} onPaid={() => void handlePaid()} />}</div>}
    >
      <section className="card form">
        <h2 tabIndex={-1}>{t('steps.2')}</h2>
        <ProblemNote problem={problem} />
        {!order && !problem && <Skeleton lines={6} />}
        {order && (
          <>
            <p className="made-lead">{t('made.lead', { code: order.code })}</p>
            <OrderConfirmation order={order} serverQuote={serverQuote} priceData={priceData} />
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
