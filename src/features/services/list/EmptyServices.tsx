import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, defaultListView, type ServicesView } from '#features/services/view.ts'

interface EmptyServicesProps {
  view: ServicesView
  /** Whether the list was ever read on this device. */
  wasRead: boolean
  onChange: (change: Partial<ServicesView>) => void
}

/** Three different nothings: never read here, nothing found, nothing sold yet (C-04, C-11). */
export function EmptyServices({ view, wasRead, onChange }: EmptyServicesProps) {
  const { t } = useTranslation('services')
  if (!wasRead)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view)) {
    const { searchText, status, company } = defaultListView
    const showAllButton = (
      <Button onClick={() => onChange({ searchText, status, company, page: 1 })}>{t('empty.showAll')}</Button>
    )
    return (
      <EmptyState icon="search" title={t('empty.noneFound')} action={showAllButton}>
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="service" title={t('empty.title')}>
      {t('empty.text')}
    </EmptyState>
  )
}
