import type { OrderRow } from '#contract/orders.ts'
import { setUpNotice } from '#domain/contracts.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  order: OrderRow | null
  today: string
  onAgain: () => void
}

/** The result: the contract is in effect, and what becomes of its system now (contracts 4). */
export function Finish({ order, today, onAgain }: Props) {
  const { t } = useTranslation('wizard')
  const setUp = order && setUpNotice(order, today)
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
          <p className="finish-next">{setUp && t(`finish.${setUp}`, { date: order.period_start })}</p>
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
