import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { buildGroupButton, type DueGroup, groupByCurrency } from '#features/orders/dues/due-groups.ts'
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
        {groups.map((group) => {
          const { key, countText, sum, disabledReason } = buildGroupButton(t, group, unsendableReason)
          return (
            <Button
              key={key}
              kind="primary"
              aria-haspopup="dialog"
              disabledReason={disabledReason}
              onClick={() => onPay(group)}
            >
              {t('toPay.pick.pay')} <span className="pay-bar-count">{countText} · </span>
              {sum}
            </Button>
          )
        })}
      </span>
      <Button kind="plain" icon="close" isIconOnly onClick={onEnd}>
        {t('toPay.pick.end')}
      </Button>
    </section>
  )
}
