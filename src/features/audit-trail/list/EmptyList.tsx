import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, noFilters, type View } from '#features/audit-trail/list/list-url.ts'

interface Props {
  view: View
  problem: Problem | null
  /** Somebody has answered: the server, or the device from what it keeps. */
  read: boolean
  onChange: (change: Partial<View>) => void
}

/** Not on this device, refused, nothing for these filters, nothing at all (C-04, C-11). */
export function NoEntries({ view, problem, read, onChange }: Props) {
  const { t } = useTranslation('audit')
  const { t: words } = useTranslation('ui')
  if (!read && isOffline(problem))
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  // What is wrong stands above the list.
  if (!read) return <EmptyState icon="alert" title={t('empty.unread')} />
  if (!isFiltered(view) && (view.page > 1 || view.after !== null))
    return (
      <EmptyState
        icon="search"
        title={words('list.noPage')}
        action={<Button onClick={() => onChange({ page: 1, after: null })}>{words('list.toFirst')}</Button>}
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
