import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import { buildGroupButton, type DueGroup, groupByCurrency } from '#features/orders/dues/due-groups.ts'
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
  const [firstAction, ...otherActions] = groupByCurrency(items).map((group) => ({
    ...buildGroupButton(t, group, unsendableReason),
    onSelect: () => onPay(group),
  }))
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
