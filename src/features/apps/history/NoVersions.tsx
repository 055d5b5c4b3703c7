import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, plainView, type View } from '#features/apps/history/list-url.ts'

interface Props {
  view: View
  /** Whether the list was ever read on this device. */
  read: boolean
  onChange: (change: Partial<View>) => void
}

/** Three different nothings: never read here, nothing found, nothing published yet (C-04, C-11). */
export function NoVersions({ view, read, onChange }: Props) {
  const { t } = useTranslation('apps')
  if (!read)
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
          <Button onClick={() => onChange({ searchText: plainView.searchText, page: 1 })}>
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
