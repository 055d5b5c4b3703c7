import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, plainView, type View } from '#features/services/list-url.ts'

interface Props {
  view: View
  /** Whether the list was ever read on this device. */
  read: boolean
  onChange: (change: Partial<View>) => void
}

/** Three different nothings: never read here, nothing found, nothing sold yet (C-04, C-11). */
export function NoServices({ view, read, onChange }: Props) {
  const { t } = useTranslation('services')
  if (!read)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view)) {
    const { searchText, status, company } = plainView
    const all = <Button onClick={() => onChange({ searchText, status, company, page: 1 })}>{t('empty.showAll')}</Button>
    return (
      <EmptyState icon="search" title={t('empty.noneFound')} action={all}>
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
