import { useState } from 'react'
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import { Amount, amountText } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import type { OrderParts } from '#features/backups/order-parts.ts'
import type { BackupFigure } from '#features/backups/backup-quote.ts'

interface Props {
  figure: BackupFigure
  /** What stood here before; null: just that. */
  before: string | null
  currency: Currency
  isWaived: boolean
  Why: OrderParts['Why']
}

/** What it costs, what the discount takes off, what is left to pay; where that is another than was shown, both. */
export function Sum({ figure, before, currency, isWaived, Why }: Props) {
  const { t } = useTranslation('backups')
  const [open, setOpen] = useState(false)
  const { discount, pay_amount: amount } = figure
  const less = writeAmount(readAmount(amount) - readAmount(figure.amount))
  return (
    <div className="backup-sum">
      {discount !== '0.00' && (
        <dl>
          <div>
            <dt>{t('form.amount')}</dt>
            <dd>
              <Amount currency={currency} amount={figure.amount} />
            </dd>
          </div>
          <div>
            <dt>{t('form.discount', { percent: Number(discount) })}</dt>
            <dd>
              <Amount currency={currency} amount={less} />
            </dd>
          </div>
        </dl>
      )}
      <p className="backup-due" role="status">
        <span>{t('form.due')}</span>
        <strong>
          <Amount currency={currency} amount={isWaived ? '0.00' : amount} />
        </strong>
      </p>
      {before !== null && (
        <p className="backup-note warning" role="alert">
          <span>
            {t('form.changed')}{' '}
            <strong>
              {t('form.changedFromTo', { from: amountText(currency, before), to: amountText(currency, amount) })}
            </strong>
          </span>
        </p>
      )}
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t('form.why')}</summary>
        {open && <Why currency={currency} steps={figure.steps()} />}
      </details>
    </div>
  )
}
