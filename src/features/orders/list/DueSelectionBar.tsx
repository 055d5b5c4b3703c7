import { maxPaidItems } from '#domain/payments.ts'
import { sumDues } from '#domain/dues.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { type DueGroup, groupByCurrency } from '#features/orders/dues/due-groups.ts'
import type { DueItem } from '#features/orders/dues/due-items.ts'

interface Props {
  items: readonly DueItem[]
  onPay: (group: DueGroup) => void
  onEnd: () => void
}

/** Shows the number of selected items, and one button for each currency: "Pay 3 items · USD 9,755.00", or "Pay USD 9,755.00" in a small window. */
export function DueSelectionBar({ items, onPay, onEnd }: Props) {
  const { t } = useTranslation('orders')
  const unsendableReason = useUnsendableReason(t('reason.offline'))
  const groups = groupByCurrency(items)
  if (groups.length === 0) return null
  return (
    <section className="list-bar pay-bar" aria-label={t('toPay.pick.bar')}>
      <p>{t('toPay.pick.counted', { count: items.length, number: formatNumber(items.length) })}</p>
      <span className="pay-bar-acts">
        {groups.map((group) => (
          <Button
            key={group[0].due.currency}
            kind="primary"
            aria-haspopup="dialog"
            disabledReason={
              group.length > maxPaidItems
                ? t('toPay.pick.tooMany', { number: formatNumber(maxPaidItems) })
                : unsendableReason
            }
            onClick={() => onPay(group)}
          >
            {t('toPay.pick.pay')}{' '}
            <span className="pay-bar-count">
              {t('toPay.pick.items', { count: group.length, number: formatNumber(group.length) })} ·{' '}
            </span>
            {formatSum(group)}
          </Button>
        ))}
      </span>
      <Button kind="plain" icon="close" isIconOnly onClick={onEnd}>
        {t('toPay.pick.end')}
      </Button>
    </section>
  )
}

const formatSum = (group: DueGroup): string =>
  sumDues(group.map(({ due }) => due)).map((sum) => formatAmount(sum.currency, sum.amount))[0] ?? ''
