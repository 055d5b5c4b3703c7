import type { UserRow } from '#contract/users.ts'
import { userFlags } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { NoValue } from '#ui/list/NoValue.tsx'
import type { TFunction } from 'i18next'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { UserStatusTag } from '#features/users/UserStatusTag.tsx'

export const buildUserColumns = (t: TFunction<'users'>, selfId: number): ListColumn<OverlaidRow<UserRow>>[] => [
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    width: 'name',
    lines: 2,
    phone: 'primary',
    render: ({ row }) => (
      <span lang={getNameLang(row.name)}>{row.id === selfId ? t('nameOfSelf', { name: row.name }) : row.name}</span>
    ),
  },
  {
    key: 'email',
    header: t('column.email'),
    sortable: true,
    isUnderFirst: true,
    priority: 2,
    phone: 'secondary',
    render: ({ row }) => row.email,
  },
  {
    key: 'status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    render: ({ row }) => <UserStatusTag status={row.status} />,
  },
  {
    key: 'flags',
    header: t('column.flags'),
    width: 'roles',
    lines: 2,
    priority: 2,
    phone: 'secondary',
    // Roles are shown as text, because tags are used for states.
    render: ({ row }) => {
      const flagTexts = userFlags.filter((flag) => row[flag]).map((flag) => t(`flag.${flag}`))
      return flagTexts.length > 0 ? <span>{flagTexts.join('\u00a0· ')}</span> : <NoValue />
    },
  },
  {
    key: 'update_time',
    header: t('column.updated'),
    sortable: true,
    width: 'day',
    priority: 3,
    // A row created on this device has no time until the server has stored it.
    render: ({ row }) =>
      row.update_time ? (
        <BusinessTime time={row.update_time}>{row.update_time.slice(0, 10)}</BusinessTime>
      ) : (
        t('notYet')
      ),
  },
]
