import type { getTraffic } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { extraTraffic } from '#domain/fees/traffic.ts'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** How much of the free GB this month has used up, and what lies beyond them; the words say all that the bar shows. */
export function MonthSoFar({ month: told }: { month: OutputOf<typeof getTraffic> }) {
  const { t } = useTranslation('backups')
  const { month, pdb_traffic: used, pdb2s3_traffic: free, amount, currency } = told
  const [measured, limit] = [readAmount(used), readAmount(free)]
  const over = extraTraffic(measured, limit)
  const words = t('traffic.used', { used: grouped(used), free: grouped(free) })
  const whole = measured > limit ? measured : limit
  const percent = whole === 0n ? 0 : Number((measured * 100n) / whole)
  return (
    <div className="backup-month">
      <p>
        <strong>{t('traffic.month', { month })}</strong> <span>{words}</span>
      </p>
      <div
        className={`backup-meter${over > 0n ? ' over' : ''}`}
        role="meter"
        aria-label={t('traffic.meter', { month })}
        aria-valuemin={0}
        aria-valuemax={Number(writeAmount(whole))}
        aria-valuenow={Number(used)}
        aria-valuetext={words}
      >
        <span style={{ inlineSize: `${percent}%` }} />
        {over > 0n && <i style={{ insetInlineStart: `${Number((limit * 100n) / whole)}%` }} />}
      </div>
      {over > 0n ? (
        <p className="backup-over">
          <Icon name="alert" size={16} />{' '}
          {t('traffic.over', { over: grouped(writeAmount(over)), amount: amountText(currency, amount) })}
        </p>
      ) : (
        <p className="field-help">{t('traffic.left', { left: grouped(writeAmount(limit - measured)) })}</p>
      )}
    </div>
  )
}
