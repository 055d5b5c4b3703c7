import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, defaultListView, type OrdersView } from '#features/orders/list-url.ts'

interface Props {
  view: OrdersView
  /** Whether the list was ever read here. */
  isRead: boolean
  disabledReason: string | null
  onChange: (change: Partial<OrdersView>) => void
}

/** Three different nothings: never read here, nothing for this filter, nothing ordered yet (C-04, C-11). */
export function EmptyList({ view, isRead, disabledReason, onChange }: Props) {
  const { t } = useTranslation('orders')
  if (!isRead)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view)) {
    const { status, searchText } = defaultListView
    const clearButton = <Button onClick={() => onChange({ status, searchText, page: 1 })}>{t('empty.dropAll')}</Button>
    return (
      <EmptyState icon="search" title={t('empty.noneFound')} action={clearButton}>
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="contract" title={t('empty.title')} action={<CreateOrderButton disabledReason={disabledReason} />}>
      {t('empty.text')}
    </EmptyState>
  )
}

/** Leads to the wizard, once there is a price list to order by (M63). */
export function CreateOrderButton({ disabledReason }: { disabledReason: string | null }) {
  const { t } = useTranslation('orders')
  if (disabledReason !== null)
    return (
      <Button kind="primary" icon="plus" disabledReason={disabledReason}>
        {t('create')}
      </Button>
    )
  return (
    <ButtonLink kind="primary" icon="plus" to="/app/contract/new">
      {t('create')}
    </ButtonLink>
  )
}
