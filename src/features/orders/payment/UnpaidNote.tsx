import { memo } from 'react'
import { Link } from 'react-router-dom'
import { Notice } from '#ui/display/Notice.tsx'
import { useTranslation } from 'react-i18next'
import type { OwnUnpaidOrder } from '#features/orders/payment/useUnpaidOrders.ts'

interface Props {
  unpaidOrders: readonly OwnUnpaidOrder[]
  /** The requested code if an unpaid order already has it, otherwise null. */
  code: string | null
  ownOrderId: number | null
  shouldShowOthers: boolean
}

/** Shows the unpaid orders before another order is made, and the one that this order would replace (D32, M79). */
export const UnpaidNote = memo(function UnpaidNote({ unpaidOrders, code, ownOrderId, shouldShowOthers }: Props) {
  const { t } = useTranslation('wizard')
  const otherOrders = shouldShowOthers ? unpaidOrders.filter((order) => order.code !== code) : []
  if (otherOrders.length === 0 && code === null) return null
  const [firstOther] = otherOrders
  const path = otherOrders.length === 1 && firstOther ? `/app/contract/${firstOther.id}` : '/app/contract?status=0'
  return (
    <Notice look="wizard-note" tone="warning" icon="alert">
      {otherOrders.length > 0 && (
        <p>
          {t('unpaid.title', { count: otherOrders.length })} – <Link to={path}>{t('unpaid.view')}</Link>
        </p>
      )}
      {code !== null && (
        <p>
          {t(unpaidOrders.some(({ id }) => id === ownOrderId) ? 'unpaid.replacesOwn' : 'unpaid.replaces', { code })}
        </p>
      )}
    </Notice>
  )
})
