import { maxPaidItems } from '#domain/payments.ts'
import { sumDues } from '#domain/dues.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import { type DueGroup, groupByCurrency } from '#features/orders/dues/due-groups.ts'
import type { DueItem } from '#features/orders/dues/due-items.ts'

interface Props {
  items: readonly DueItem[]
  onPay: (group: DueGroup) => void
  onEnd: () => void
}

/** Shows the number of selected items, and one button for each currency: "Pay 3 items · USD 9,755.00". */
export function DueSelectionBar({ items, onPay, onEnd }: Props) {
  const { t } = useTranslation('orders')
  const unsendableReason = useUnsendableReason(t('reason.offline'))
  const [firstAction, ...otherActions] = groupByCurrency(items).map((group) => {
    const count = group.length
    const amount = sumDues(group.map(({ due }) => due)).map((sum) => formatAmount(sum.currency, sum.amount))[0] ?? ''
    return {
      key: group[0].due.currency,
      label: t('toPay.pick.pay', { count, number: formatNumber(count), amount }),
      disabledReason:
        count > maxPaidItems ? t('toPay.pick.tooMany', { number: formatNumber(maxPaidItems) }) : unsendableReason,
      onSelect: () => onPay(group),
    }
  })
  if (!firstAction) return null
  return (
    <section className="list-bar pay-bar" aria-label={t('toPay.pick.bar')}>
      <p className="pay-bar-wide">
        {t('toPay.pick.counted', { count: items.length, number: formatNumber(items.length) })}
      </p>
      <span className="pay-bar-acts">
        <Button
          kind="primary"
          aria-haspopup="dialog"
          disabledReason={firstAction.disabledReason}
          onClick={firstAction.onSelect}
        >
          {firstAction.label}
        </Button>
        {otherActions.map(({ key, label, disabledReason, onSelect }) => (
          <span key={key} className="pay-bar-wide">
            <Button aria-haspopup="dialog" disabledReason={disabledReason} onClick={onSelect}>
              {label}
            </Button>
          </span>
        ))}
        {otherActions.length > 0 && (
          <span className="pay-bar-narrow">
            <Menu label={t('toPay.pick.more')} items={otherActions} />
          </span>
        )}
      </span>
      <Button kind="plain" icon="close" isIconOnly onClick={onEnd}>
        {t('toPay.pick.end')}
      </Button>
    </section>
  )
}
