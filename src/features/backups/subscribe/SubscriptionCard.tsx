import { useId } from 'react'
import type { PdbType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { calculateBackupAmount } from '#domain/fees/backup.ts'
import { type Currency, groupThousands, writeAmount } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { useTranslation } from 'react-i18next'
import { BackupTag } from '#features/backups/BackupTag.tsx'
import { type BackupPrice, type SubscriptionBounds, canSubscribe, isExtension } from '#features/backups/backup-quote.ts'

interface SubscriptionCardProps {
  type: PdbType
  service: ServiceRow
  price: BackupPrice
  currency: Currency
  bounds: SubscriptionBounds
  isOpen: boolean
  onSubscribe: () => void
}

/** Shows one type of backup: description, state of its subscription, and what a year costs after the discount (M124 to M126). */
export function SubscriptionCard({
  type,
  service,
  price,
  currency,
  bounds,
  isOpen,
  onSubscribe,
}: SubscriptionCardProps) {
  const { t } = useTranslation('backups')
  const titleId = useId()
  const { traffic } = price
  const { payAmount } = calculateBackupAmount(price.annualFee, 12, price.discount)
  const isExpired = bounds.contractEnd <= bounds.today
  const disabledReason = canSubscribe(bounds) ? null : t(isExpired ? 'card.expiredContract' : 'card.over')
  const isExtending = isExtension(bounds)
  const typeParams = { type: t(`type.${type}`) }
  return (
    <section className="card backup-card" aria-labelledby={titleId}>
      <div className="backup-card-head">
        <h2 id={titleId}>{t(`type.${type}`)}</h2>
        <BackupTag type={type} service={service} today={bounds.today} />
      </div>
      <p>{t(`about.${type}`)}</p>
      <DescriptionList>
        <DescriptionItem label={t('card.annual')}>
          <Amount currency={currency} amount={writeAmount(payAmount)} />{' '}
          {price.discount > 0n && (
            <span className="backup-less">
              {t('card.less', {
                amount: groupThousands(writeAmount(price.annualFee)),
                percent: Number(writeAmount(price.discount)),
              })}
            </span>
          )}
        </DescriptionItem>
        {traffic ? (
          <>
            <DescriptionItem label={t('card.free')}>
              {t('card.freeGb', { gb: Number(writeAmount(traffic.free)) })}
            </DescriptionItem>
            <DescriptionItem label={t('card.extra')}>
              <Amount currency={currency} amount={writeAmount(traffic.price)} />
            </DescriptionItem>
          </>
        ) : (
          <DescriptionItem label={t('card.noTraffic')}>{t('card.noTrafficText')}</DescriptionItem>
        )}
      </DescriptionList>
      <div className="backup-acts">
        <Button disabledReason={disabledReason} aria-expanded={isOpen} onClick={onSubscribe}>
          <span aria-hidden="true">{t(isExtending ? 'card.extend' : 'card.subscribe')}</span>
          <span className="sr-only">{t(isExtending ? 'card.extendTo' : 'card.subscribeTo', typeParams)}</span>
        </Button>
      </div>
    </section>
  )
}
