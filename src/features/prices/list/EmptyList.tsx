import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { getNewPriceListPath } from '#features/prices/paths.ts'
import type { PriceListsView } from '#features/prices/price-lists-view.ts'

interface Props {
  view: PriceListsView
  onFirstPage: () => void
}

/** Shown if the page number is too high, or if there is no list to show (C-11). */
export function EmptyList({ view: { page, tab }, onFirstPage }: Props) {
  const { t } = useTranslation('prices')
  if (page > 1)
    return (
      <EmptyState
        icon="search"
        title={t('empty.noPage')}
        action={<Button onClick={onFirstPage}>{t('empty.first')}</Button>}
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
