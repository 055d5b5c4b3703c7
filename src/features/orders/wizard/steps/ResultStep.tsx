import type { OrderRow } from '#contract/orders.ts'
import { getSetUpNotice } from '#domain/contracts.ts'
import { usePolling } from '#patterns/usePolling.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { WebAddress } from '#ui/display/WebAddress.tsx'
import { useTranslation } from 'react-i18next'
import { useOrder } from '#features/orders/change/useOrder.ts'

interface Props {
  order: OrderRow | null
  today: string
  onAgain: () => void
}

/** Shows the result: the contract is in effect and its system is being set up (contracts 4). */
export function ResultStep({ order, today, onAgain }: Props) {
  const { t } = useTranslation('wizard')
  return (
    <section className="card finish">
      <span className="finish-sign">
        <Icon name="check" size={24} />
      </span>
      <h2 tabIndex={-1}>{t('finish.title')}</h2>
      {order && (
        <>
          <p>{t('finish.text', { code: order.code, contract: order.contract ?? '', last: order.expired_date })}</p>
          <p className="finish-amount">
            <Amount currency={order.currency} amount={order.pay_amount ?? '0.00'} />
          </p>
          <SetUpProgress id={Number(order.id)} today={today} fallback={order} />
        </>
      )}
      <div className="page-form-acts">
        {order && (
          <ButtonLink kind="primary" to={`/app/contract/${order.id}`}>
            {t('finish.open')}
          </ButtonLink>
        )}
        <ButtonLink to="/app/contract">{t('finish.all')}</ButtonLink>
        <Button onClick={onAgain}>{t('finish.again')}</Button>
      </div>
    </section>
  )
}

/** Interval between two polls of the set-up, in ms. */
const pollIntervalMs = 5000

/** Polls the set-up while displayed. `fallback` is used until the order has been read from the device. */
function SetUpProgress({ id, today, fallback }: { id: number; today: string; fallback: OrderRow }) {
  const { t } = useTranslation('wizard')
  const { overlaidRow, refetch } = useOrder(id)
  const row = overlaidRow?.row ?? fallback
  const setUpState = getSetUpNotice(row, today)
  const isAwaited = setUpState === 'soon'
  usePolling(isAwaited, pollIntervalMs, () => void refetch())
  return (
    <div className="finish-next" role="status">
      <p>
        {isAwaited && <span className="spinner" aria-hidden="true" />}
        {setUpState ? t(`finish.${setUpState}`, { date: row.period_start }) : t('finish.ready')}
      </p>
      {row.url && (
        <p>
          {t('finish.address')} <WebAddress to={row.url} emptyText="" />
        </p>
      )}
    </div>
  )
}
