import { memo } from 'react'
import { Link } from 'react-router-dom'
import { Amount } from '#ui/display/Amount.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { OwnUnpaid } from '#features/orders/payment/useUnpaid.ts'

interface Props {
  unpaid: readonly OwnUnpaid[]
  /** The code that one of them holds too; null: none does. */
  code: string | null
  /** The one that this very wizard has made. */
  ordered: number | null
}

/** Said before a further order is made: what waits to be paid, and what this one would take the place of (D32). */
export const UnpaidNote = memo(function UnpaidNote({ unpaid, code, ordered }: Props) {
  const { t } = useTranslation('wizard')
  if (unpaid.length === 0) return null
  return (
    <div className="wizard-note warning" role="status">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('unpaid.title', { count: unpaid.length })}</strong>
        </p>
        <ul className="unpaid-list">
          {unpaid.map((one) => (
            <li key={one.id}>
              <Link to={`/app/contract/${one.id}`}>{one.code}</Link>{' '}
              <Amount currency={one.currency} amount={one.amount} /> <span>{t('unpaid.due', { due: one.due })}</span>
            </li>
          ))}
        </ul>
        {code !== null && (
          <p>{t(unpaid.some(({ id }) => id === ordered) ? 'unpaid.replacesOwn' : 'unpaid.replaces', { code })}</p>
        )}
      </div>
    </div>
  )
})
