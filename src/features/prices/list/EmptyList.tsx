import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceListTab } from '#features/prices/list-url.ts'
import { getNewPriceListPath } from '#features/prices/paths.ts'

interface Props {
  /** A list was read here before. */
  isRead: boolean
  tab: PriceListTab
  page: number
  onFirst: () => void
}

/** Never read here, a page that there is none of, none yet (C-04, C-11). */
export function EmptyList({ isRead, tab, page, onFirst }: Props) {
  const { t } = useTranslation('prices')
  if (!isRead)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (page > 1)
    return (
      <EmptyState
        icon="search"
        title={t('empty.noPage')}
        action={<Button onClick={onFirst}>{t('empty.first')}</Button>}
      >
        {t('empty.noPageText')}
      </EmptyState>
    )
  if (tab === 'withdrawn')
    return (
      <EmptyState icon="price" title={t('empty.noneWithdrawn')}>
        {t('empty.noneWithdrawnText')}
      </EmptyState>
    )
  return (
    <EmptyState
      icon="price"
      title={t('empty.none')}
      action={
        <ButtonLink to={getNewPriceListPath()} icon="plus">
          {t('act.create')}
        </ButtonLink>
      }
    >
      {t('empty.noneText')}
    </EmptyState>
  )
}
