import type { TFunction } from 'i18next'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Tag } from '#ui/display/Tag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { ListColumn } from '#ui/list/column.ts'
import {
  describeMethod,
  describeState,
  describeSubject,
  formatSignedAmount,
} from '#features/invoices/describe-invoice.ts'
import type { ListedInvoice } from '#features/invoices/slice.ts'

type InvoiceColumn = ListColumn<OverlaidRow<ListedInvoice>>

/** The list of all companies has the company of each invoice. */
export const buildInvoiceColumns = (t: TFunction<'invoices'>, hasCompany: boolean): InvoiceColumn[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: hasCompany ? 'secondary' : 'overline',
    render: ({ row }) => <span className="invoice-code">{row.code}</span>,
  },
  ...(hasCompany ? [buildCompanyColumn(t)] : []),
  {
    key: 'subject',
    header: t('column.subject'),
    lines: 2,
    phone: 'primary',
    render({ row }) {
      const subject = describeSubject(row, t)
      return (
        <span title={subject} lang={getNameLang(row.service_name)}>
          {subject}
        </span>
      )
    },
  },
  {
    key: 'issued',
    header: t('column.issued'),
    sortable: true,
    format: 'date',
    // With the company, a phone has no room for the date; the number has the month.
    ...(hasCompany ? {} : { phone: 'secondary' as const }),
    getValue: ({ row }) => row.issued.slice(0, 10),
  },
  {
    key: 'po_number',
    header: t('column.po'),
    format: 'text',
    width: 'name',
    priority: 3,
    getValue: ({ row }) => row.po_number,
  },
  {
    key: 'method',
    header: t('column.method'),
    width: 'number',
    lines: 2,
    priority: 3,
    render: ({ row }) => <span>{describeMethod(row, t)}</span>,
  },
  {
    key: 'amount',
    header: t('column.amount'),
    align: 'end',
    width: 'money',
    phone: 'secondary',
    render: ({ row }) => <span className="amount">{formatSignedAmount(row)}</span>,
  },
  {
    key: 'state',
    header: t('column.state'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    render({ row }) {
      const { text, tone } = describeState(row, t)
      return <Tag tone={tone}>{text}</Tag>
    },
  },
]

const buildCompanyColumn = (t: TFunction<'invoices'>): InvoiceColumn => ({
  key: 'company_name',
  header: t('column.company'),
  sortable: true,
  lines: 2,
  phone: 'overline',
  isUnderFirst: true,
  exportText: ({ row }) => row.company_name ?? '',
  render: ({ row: { company_name: name = '' } }) => (
    <bdi title={name} lang={getNameLang(name)}>
      {name}
    </bdi>
  ),
})
