import { useState } from 'react'
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import type { OrderParts } from '#features/backups/order-parts.ts'
import type { BackupQuote } from '#features/backups/backup-quote.ts'

interface SumProps {
  quote: BackupQuote
  /** The amount that the user has last seen; null if none. */
  seenAmount: string | null
  currency: Currency
  isWaived: boolean
  FeeExplanation: OrderParts['FeeExplanation']
}

export function SubscriptionSum({ quote, seenAmount, currency, isWaived, FeeExplanation }: SumProps) {
  const { t } = useTranslation('backups')
  const [isOpen, setIsOpen] = useState(false)
  const { discount, pay_amount: amount } = quote
  const previousAmount = seenAmount === amount ? null : seenAmount
  const discountAmount = writeAmount(readAmount(amount) - readAmount(quote.amount))
  return (
    <div className="backup-sum">
      {discount !== '0.00' && (
        <dl>
          <div>
            <dt>{t('form.amount')}</dt>
            <dd>
              <Amount currency={currency} amount={quote.amount} />
            </dd>
          </div>
          <div>
            <dt>{t('form.discount', { percent: Number(discount) })}</dt>
            <dd>
              <Amount currency={currency} amount={discountAmount} />
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
      {previousAmount !== null && (
        <p className="backup-note warning" role="alert">
          <span>
            {t('form.changed')}{' '}
            <strong>
              {t('form.changedFromTo', {
                from: formatAmount(currency, previousAmount),
                to: formatAmount(currency, amount),
              })}
            </strong>
          </span>
        </p>
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t('form.why')}</summary>
        {isOpen && <FeeExplanation currency={currency} steps={quote.steps()} />}
      </details>
    </div>
  )
}
