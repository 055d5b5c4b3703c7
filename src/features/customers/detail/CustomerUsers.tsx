import { useMemo } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { listUsers, type UserRow, userListSpec } from '#contract/users.ts'
import { userFlags, userStatuses } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { createListSlice } from '#state/list-slice.ts'
import { defineListView } from '#state/list-url.ts'
import { oneOf } from '#state/view-fields.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'

const usersView = defineListView(userListSpec, { statusType: oneOf(userStatuses) })

const customerUsers = createListSlice<UserRow, (typeof usersView)['defaultView']>({
  name: 'customerUsers',
  endpoint: listUsers,
  toQuery: usersView.toListQuery,
})

/** The users of a customer. Only the customer's own admins change them. */
export function CustomerUsers({ customer, frame }: CustomerTabProps) {
  const { t } = useTranslation('users')
  const { t: tCustomers } = useTranslation('customers')
  const list = useListPage(customerUsers, usersView, { scope: customer.id, isFramed: true })
  const columns = useMemo(() => buildColumns(t), [t])
  return (
    <ListPage
      list={list}
      title={frame.title}
      crumbs={frame.crumbs}
      beforeFilters={frame.tabs}
      exportAs={{ name: t('title'), companyCode: customer.code }}
      searchLabel={t('filter.search')}
      filters={[
        {
          name: 'statusType',
          label: t('filter.statusType'),
          allLabel: t('filter.all'),
          choices: userStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
        },
      ]}
      caption={t('caption', { company: customer.name })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.name}
      refreshLabel={tCustomers('refresh')}
      empty={{
        notHere: { title: t('empty.notHere'), text: tCustomers('empty.notHereText') },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.dropAll') },
        none: <EmptyState icon="users" title={tCustomers('noUsers')} />,
      }}
    />
  )
}

const tones: Record<number, TagTone> = { 1: 'positive', 0: 'accent', [-1]: 'neutral', [-2]: 'danger' }

const buildColumns = (t: TFunction<'users'>): ListColumn<OverlaidRow<UserRow>>[] => [
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'primary',
    exportText: ({ row }) => row.name,
    render: ({ row }) => <bdi lang={getNameLang(row.name)}>{row.name}</bdi>,
  },
  {
    key: 'email',
    header: t('column.email'),
    sortable: true,
    phone: 'secondary',
    format: 'text',
    getValue: ({ row }) => row.email,
  },
  {
    key: 'status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    exportText: ({ row }) => t(`status.${row.status}`),
    render: ({ row }) => <Tag tone={tones[row.status] ?? 'neutral'}>{t(`status.${row.status}`)}</Tag>,
  },
  {
    key: 'flags',
    header: t('column.flags'),
    width: 'roles',
    priority: 2,
    phone: 'secondary',
    format: 'text',
    getValue: ({ row }) =>
      userFlags
        .filter((flag) => row[flag])
        .map((flag) => t(`flag.${flag}`))
        .join(' · '),
  },
  {
    key: 'update_time',
    header: t('column.updated'),
    sortable: true,
    format: 'time',
    priority: 3,
    getValue: ({ row }) => row.update_time,
  },
]
