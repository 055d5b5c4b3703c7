import { useId } from 'react'
import type { BackupType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { useTranslation } from 'react-i18next'
import { BackupTag } from '#features/backups/BackupTag.tsx'
import { type BackupPrice, type Bounds, isSold } from '#features/backups/backup-quote.ts'

interface Props {
  type: BackupType
  service: ServiceRow
  price: BackupPrice
  currency: Currency
  bounds: Bounds
  /** Its form stands open. */
  isOpen: boolean
  onSubscribe: () => void
}

/** One kind of backup: what it is, how its subscription stands, and what it costs (M124, M125). */
export function SubscriptionCard({ type, service, price, currency, bounds, isOpen, onSubscribe }: Props) {
  const { t } = useTranslation('backups')
  const title = useId()
  const { traffic } = price
  const isExpired = bounds.contractEnd <= bounds.today
  const whyNot = isSold(bounds) ? null : t(isExpired ? 'card.expiredContract' : 'card.over')
  const isFurther = bounds.present !== null && bounds.present > bounds.today
  const named = { type: t(`type.${type}`) }
  return (
    <section className="card backup-card" aria-labelledby={title}>
      <div className="backup-card-head">
        <h2 id={title}>{t(`type.${type}`)}</h2>
        <BackupTag type={type} service={service} today={bounds.today} />
      </div>
      <p>{t(`about.${type}`)}</p>
      <Facts>
        <Fact label={t('card.annual')}>
          <Amount currency={currency} amount={writeAmount(price.annual)} />
        </Fact>
        {price.discount > 0n && (
          <Fact label={t('card.discount')}>{t('card.percent', { percent: Number(writeAmount(price.discount)) })}</Fact>
        )}
        {traffic ? (
          <>
            <Fact label={t('card.free')}>{t('card.freeGb', { gb: Number(writeAmount(traffic.free)) })}</Fact>
            <Fact label={t('card.extra')}>
              <Amount currency={currency} amount={writeAmount(traffic.price)} />
            </Fact>
          </>
        ) : (
          <Fact label={t('card.noTraffic')}>{t('card.noTrafficText')}</Fact>
        )}
      </Facts>
      <div className="backup-acts">
        <Button icon={isFurther ? 'plus' : 'check'} whyNot={whyNot} aria-expanded={isOpen} onClick={onSubscribe}>
          <span aria-hidden="true">{t(isFurther ? 'card.extend' : 'card.subscribe')}</span>
          <span className="sr-only">{t(isFurther ? 'card.extendTo' : 'card.subscribeTo', named)}</span>
        </Button>
      </div>
    </section>
  )
}
