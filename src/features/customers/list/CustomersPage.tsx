import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { CustomerStyles } from '#features/customers/CustomerStyles.tsx'
import { buildCustomerColumns } from '#features/customers/list/columns.tsx'
import { useServerNow } from '#features/customers/RelativeTime.tsx'
import { customersList } from '#features/customers/slice.ts'
import { customerGroups, customersView } from '#features/customers/view.ts'

/** Lists all customers with what they owe and how their services are, for the provider's staff (decision 107). */
export function CustomersPage() {
  const { t } = useTranslation('customers')
  const list = useListPage(customersList, customersView, { scope: null })
  const now = useServerNow()
  const columns = useMemo(() => buildCustomerColumns(t, now), [t, now])
  return (
    <ListPage
      list={list}
      title={t('title')}
      intro={t('lead')}
      beforeFilters={<CustomerStyles />}
      exportAs={{ name: t('title') }}
      searchLabel={t('filter.search')}
      filters={[
        {
          name: 'show',
          label: t('filter.show'),
          allLabel: t('filter.all'),
          choices: customerGroups.map((value) => ({ value, label: t(`filter.${value}`) })),
        },
      ]}
      listClass="customer-list"
      caption={t('caption')}
      formatCount={(numbers) => t('counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.name}
      getRowPath={({ row }) => `/app/m18/customer/${row.id}`}
      refreshLabel={t('refresh')}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.showAll') },
        none: (
          <EmptyState icon="customers" title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        ),
      }}
    />
  )
}
