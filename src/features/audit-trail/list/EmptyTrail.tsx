import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, noFilters, type TrailView } from '#features/audit-trail/list/trail-view.ts'

interface EmptyTrailProps {
  view: TrailView
  problem: Problem | null
  /** Somebody has answered: the server, or the device from what it keeps. */
  wasAnswered: boolean
  onChange: (change: Partial<TrailView>) => void
}

/** Not on this device, refused, nothing for these filters, nothing at all (C-04, C-11). */
export function EmptyTrail({ view, problem, wasAnswered, onChange }: EmptyTrailProps) {
  const { t } = useTranslation('audit')
  const { t: tUi } = useTranslation('ui')
  if (!wasAnswered && isOffline(problem))
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  // What is wrong stands above the list.
  if (!wasAnswered) return <EmptyState icon="alert" title={t('empty.unread')} />
  if (!isFiltered(view) && (view.page > 1 || view.after !== null))
    return (
      <EmptyState
        icon="search"
        title={tUi('list.noPage')}
        action={<Button onClick={() => onChange({ page: 1, after: null })}>{tUi('list.toFirst')}</Button>}
      />
    )
  if (isFiltered(view))
    return (
      <EmptyState
        icon="search"
        title={t('empty.noneFound')}
        action={
          <Button
            onClick={() => onChange({ ...noFilters, company: view.company, searchText: '', page: 1, after: null })}
          >
            {t('empty.dropAll')}
          </Button>
        }
      >
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  return (
    <EmptyState icon="trail" title={t('empty.title')}>
      {t('empty.text')}
    </EmptyState>
  )
}
