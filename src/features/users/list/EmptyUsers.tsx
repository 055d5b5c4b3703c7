import { Link } from 'react-router-dom'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, defaultListView, type UsersView } from '#features/users/view.ts'

/** Three different nothings: never read here, nothing for this filter, nobody yet (C-04, C-11). */
export function EmptyUsers({
  view,
  wasRead,
  onChange,
}: {
  view: UsersView
  wasRead: boolean
  onChange: (change: Partial<UsersView>) => void
}) {
  const { t } = useTranslation('users')
  if (!wasRead)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        <p>{t('empty.notHereText')}</p>
        <p>
          {t('empty.else')} <Link to="/app/device">{t('empty.device')}</Link>
        </p>
      </EmptyState>
    )
  if (isFiltered(view)) {
    const { statusType, includedDel, searchText } = defaultListView
    return (
      <EmptyState
        icon="search"
        title={t('empty.noneFound')}
        action={
          <Button onClick={() => onChange({ statusType, includedDel, searchText, page: 1 })}>
            {t('empty.dropAll')}
          </Button>
        }
      >
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="users"
      title={t('empty.title')}
      action={
        <Button icon="plus" onClick={() => onChange({ open: 'new' })}>
          {t('create')}
        </Button>
      }
    >
      {t('empty.text')}
    </EmptyState>
  )
}
