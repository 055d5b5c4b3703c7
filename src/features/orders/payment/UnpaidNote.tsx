import { memo } from 'react'
import { Link } from 'react-router-dom'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { OwnUnpaid } from '#features/orders/payment/useUnpaid.ts'

interface Props {
  unpaid: readonly OwnUnpaid[]
  /** The code that one of them holds too; null: none does. */
  code: string | null
  /** The one that this very wizard has made. */
  ordered: number | null
  /** Whether those of other codes are named as well. */
  isOthers: boolean
}

/** Said before a further order is made: what waits to be paid, and what this one would take the place of (D32, M79). */
export const UnpaidNote = memo(function UnpaidNote({ unpaid, code, ordered, isOthers }: Props) {
  const { t } = useTranslation('wizard')
  const others = isOthers ? unpaid.filter((one) => one.code !== code) : []
  if (others.length === 0 && code === null) return null
  const [only] = others
  const to = others.length === 1 && only ? `/app/contract/${only.id}` : '/app/contract?status=0'
  return (
    <div className="wizard-note warning" role="status">
      <Icon name="alert" />
      <div>
        {others.length > 0 && (
          <p>
            {t('unpaid.title', { count: others.length })} – <Link to={to}>{t('unpaid.view')}</Link>
          </p>
        )}
        {code !== null && (
          <p>{t(unpaid.some(({ id }) => id === ordered) ? 'unpaid.replacesOwn' : 'unpaid.replaces', { code })}</p>
        )}
      </div>
    </div>
  )
})
