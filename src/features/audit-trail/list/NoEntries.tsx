import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import type { TrailList } from '#features/audit-trail/list/useTrailList.ts'

export function NoEntries({ list: { view, changeView } }: { list: TrailList }) {
  const { t } = useTranslation('audit')
  const { t: tUi } = useTranslation('ui')
  if (view.page > 1 || view.after !== null)
    return (
      <EmptyState
        icon="search"
        title={tUi('list.noPage')}
        action={<Button onClick={() => changeView({ page: 1 })}>{tUi('list.toFirst')}</Button>}
      />
    )
  return (
    <EmptyState icon="trail" title={t('empty.title')}>
      {t('empty.text')}
    </EmptyState>
  )
}
