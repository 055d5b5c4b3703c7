import { useMemo } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { type CustomerPaymentRow, customerPaymentListSpec, listCustomerPayments } from '#contract/staff/customers.ts'
import type { Currency } from '#domain/money.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { createListSlice } from '#state/list-slice.ts'
import { defineListView } from '#state/list-url.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { UnpaidAmounts } from '#features/customers/UnpaidAmounts.tsx'

const paymentsView = defineListView(customerPaymentListSpec, {})

const customerPayments = createListSlice<CustomerPaymentRow, (typeof paymentsView)['defaultView']>({
  name: 'customerPayments',
  endpoint: listCustomerPayments,
  toQuery: paymentsView.toListQuery,
})

/** All payments of a customer that a gateway reported, after the amounts that are still to be paid. */
export function CustomerPayments({ customer, frame }: CustomerTabProps) {
  const { t } = useTranslation('customers')
  const list = useListPage(customerPayments, paymentsView, { scope: customer.id, isFramed: true })
  const columns = useMemo(() => buildColumns(t), [t])
  return (
    <ListPage
      list={list}
      title={frame.title}
      crumbs={frame.crumbs}
      beforeFilters={
        <>
          {frame.tabs}
          {customer.unpaid.length > 0 && (
            <p className="customer-to-pay">
              <span>{t('column.unpaid')}</span> <UnpaidAmounts unpaid={customer.unpaid} />
            </p>
          )}
        </>
      }
      exportAs={{ name: t('tab.payments'), companyCode: customer.code }}
      searchLabel={t('payment.search')}
      caption={t('payment.caption', { company: customer.name })}
      formatCount={(numbers) => t('payment.counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.invoice_no ?? row.reference}
      refreshLabel={t('refresh')}
      empty={{
        notHere: { title: t('payment.notHere'), text: t('empty.notHereText') },
        noneFound: { title: t('payment.noneFound'), text: t('empty.noneFoundText'), showAll: t('payment.showAll') },
        none: <EmptyState icon="price" title={t('payment.none')} />,
      }}
    />
  )
}

const buildColumns = (t: TFunction<'customers'>): ListColumn<OverlaidRow<CustomerPaymentRow>>[] => [
  {
    key: 'paid_time',
    header: t('payment.paid'),
    sortable: true,
    format: 'time',
    phone: 'overline',
    getValue: ({ row }) => row.paid_time,
  },
  {
    key: 'service_code',
    header: t('payment.service'),
    sortable: true,
    width: 'code',
    phone: 'primary',
    exportText: ({ row }) => row.service_code,
    render: ({ row }) => <span className="customer-code">{row.service_code}</span>,
  },
  {
    key: 'type',
    header: t('payment.type'),
    phone: 'secondary',
    exportText: ({ row }) =>
      [t(`payment.types.${row.type}`), row.state === 'applied' ? '' : t(`payment.states.${row.state}`)]
        .filter(Boolean)
        .join(' · '),
    render: ({ row }) => (
      <span className="customer-type">
        {t(`payment.types.${row.type}`)}{' '}
        {row.state !== 'applied' && (
          <Tag tone={row.state === 'open' ? 'warning' : 'neutral'}>{t(`payment.states.${row.state}`)}</Tag>
        )}
      </span>
    ),
  },
  {
    key: 'amount',
    header: t('payment.amount'),
    align: 'end',
    phone: 'tag',
    exportText: ({ row }) => formatAmount(row.currency as Currency, row.amount),
    render: ({ row }) => <Amount currency={row.currency as Currency} amount={row.amount} />,
  },
  {
    key: 'invoice_no',
    header: t('payment.invoice'),
    format: 'text',
    priority: 2,
    phone: 'secondary',
    getValue: ({ row }) => row.invoice_no,
  },
  {
    key: 'reference',
    header: t('payment.reference'),
    priority: 3,
    exportText: ({ row }) => `${row.gateway} ${row.reference}`,
    render: ({ row }) => <span className="customer-reference">{`${row.gateway} ${row.reference}`}</span>,
  },
]
