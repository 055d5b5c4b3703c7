import { useEffect, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { useAction } from '#state/use-action.ts'
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
  /** The order that was just created. Null after a reload. */
  createdOrder: OrderRow | null
  serverQuote: ServerQuote | null
  priceData: PriceData
  onBack: () => void
  onPaid: (order: OrderRow) => void
  /** Called if the order can no longer be paid: it expired, or was deleted or replaced elsewhere. */
  onInvalid: () => void
}

/** The third step. The order exists and can be paid now, or within seven days on its own page. */
export function PaymentStep({ id, createdOrder, serverQuote, priceData, onBack, onPaid, onInvalid }: Props) {
  const { t } = useTranslation('wizard')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [loadedOrder, setLoadedOrder] = useState<OrderRow | null>(null)
  const { run: read, problem } = useAction(readOrder)
  const order = createdOrder?.id === id ? createdOrder : loadedOrder
  const isNew = order !== null

  useEffect(() => {
    if (isNew) return
    let isActive = true
    void read(id).then((result) => {
      if (!isActive) return
      const latestOrder = result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
      const isMissing = result.kind === 'problem' && result.problem.code === 'NOT_FOUND'
      // The order may have been paid, deleted or expired in the meantime.
      if (isMissing || latestOrder?.state === 'invalid') onInvalid()
      else if (!latestOrder) return
      else if (latestOrder.state === 'unpaid') setLoadedOrder(latestOrder)
      else onPaid(latestOrder)
    })
    return () => void (isActive = false)
    // Fetched once per order, and again when the connection changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [id, isNew, connection])

  /** Fetches the order again, because a paid order has the id of its contract. */
  async function handlePaid() {
    const result = await read(id)
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
        <ProblemNote problem={order ? null : problem} />
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
