import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, plainView, type View } from '#features/orders/list-url.ts'

interface Props {
  view: View
  /** Whether the list was ever read here. */
  read: boolean
  whyNot: string | null
  onChange: (change: Partial<View>) => void
}

/** Three different nothings: never read here, nothing for this filter, nothing ordered yet (C-04, C-11). */
export function NoOrders({ view, read, whyNot, onChange }: Props) {
  const { t } = useTranslation('orders')
  if (!read)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view)) {
    const { status, searchText } = plainView
    const all = <Button onClick={() => onChange({ status, searchText, page: 1 })}>{t('empty.dropAll')}</Button>
    return (
      <EmptyState icon="search" title={t('empty.noneFound')} action={all}>
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="contract" title={t('empty.title')} action={<Create whyNot={whyNot} />}>
      {t('empty.text')}
    </EmptyState>
  )
}

/** Leads to the wizard, once there is a price list to order by (M63). */
export function Create({ whyNot }: { whyNot: string | null }) {
  const { t } = useTranslation('orders')
  if (whyNot !== null)
    return (
      <Button kind="primary" icon="plus" whyNot={whyNot}>
        {t('create')}
      </Button>
    )
  return (
    <ButtonLink kind="primary" icon="plus" to="/app/contract/new">
      {t('create')}
    </ButtonLink>
  )
}
