import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, defaultListView, type AppHistoryView } from '#features/apps/history/app-history-view.ts'

interface NoVersionsProps {
  view: AppHistoryView
  /** Whether the list was ever read on this device. */
  wasRead: boolean
  onChange: (change: Partial<AppHistoryView>) => void
}

/** Three different nothings: never read here, nothing found, nothing published yet (C-04, C-11). */
export function NoVersions({ view, wasRead, onChange }: NoVersionsProps) {
  const { t } = useTranslation('apps')
  if (!wasRead)
    return (
      <EmptyState icon="offline" title={t('history.empty.notHere')}>
        {t('history.empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view))
    return (
      <EmptyState
        icon="search"
        title={t('history.empty.noneFound')}
        action={
          <Button onClick={() => onChange({ searchText: defaultListView.searchText, page: 1 })}>
            {t('history.empty.showAll')}
          </Button>
        }
      >
        {t('history.empty.noneFoundText')}
      </EmptyState>
    )
  return (
    <EmptyState
      icon="history"
      title={t('history.empty.title')}
      action={
        <ButtonLink to="/app/m18/upload" icon="upload">
          {t('history.empty.upload')}
        </ButtonLink>
      }
    >
      {t('history.empty.text')}
    </EmptyState>
  )
}
