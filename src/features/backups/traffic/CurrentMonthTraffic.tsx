import type { getTraffic } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { calculateExtraTraffic } from '#domain/fees/traffic.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Shows the traffic of this month: used free GB, and GB over the limit. The text contains all information of the bar. */
export function CurrentMonthTraffic({ traffic }: { traffic: OutputOf<typeof getTraffic> }) {
  const { t } = useTranslation('backups')
  const { month, pdb_traffic: usedGb, pdb2s3_traffic: freeGb, amount, currency } = traffic
  const [usedAmount, freeAmount] = [readAmount(usedGb), readAmount(freeGb)]
  const extraAmount = calculateExtraTraffic(usedAmount, freeAmount)
  const usageText = t('traffic.used', { used: groupThousands(usedGb), free: groupThousands(freeGb) })
  const scaleAmount = usedAmount > freeAmount ? usedAmount : freeAmount
  const percent = scaleAmount === 0n ? 0 : Number((usedAmount * 100n) / scaleAmount)
  return (
    <div className="backup-month">
      <p>
        <strong>{t('traffic.month', { month })}</strong> <span>{usageText}</span>
      </p>
      <div
        className={`backup-meter${extraAmount > 0n ? ' over' : ''}`}
        role="meter"
        aria-label={t('traffic.meter', { month })}
        aria-valuemin={0}
        aria-valuemax={Number(writeAmount(scaleAmount))}
        aria-valuenow={Number(usedGb)}
        aria-valuetext={usageText}
      >
        <span style={{ inlineSize: `${percent}%` }} />
        {extraAmount > 0n && <i style={{ insetInlineStart: `${Number((freeAmount * 100n) / scaleAmount)}%` }} />}
      </div>
      {extraAmount > 0n ? (
        <p className="backup-over">
          <Icon name="alert" size={16} />{' '}
          {t('traffic.over', {
            over: groupThousands(writeAmount(extraAmount)),
            amount: formatAmount(currency, amount),
          })}
        </p>
      ) : (
        <p className="field-help">
          {t('traffic.left', { left: groupThousands(writeAmount(freeAmount - usedAmount)) })}
        </p>
      )}
    </div>
  )
}
