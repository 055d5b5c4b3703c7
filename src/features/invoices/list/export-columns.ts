import type { TFunction } from 'i18next'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import { describeItem, describeMethod, getSignedAmount } from '#features/invoices/describe-invoice.ts'
import type { ListedInvoice } from '#features/invoices/slice.ts'

type InvoiceColumn = ExportColumn<OverlaidRow<ListedInvoice>>

/** Columns of the exported file: every fact in a cell of its own. Amounts are numbers, negative for credit notes. */
export const buildInvoiceExportColumns = (t: TFunction<'invoices'>, hasCompany: boolean): InvoiceColumn[] => [
  [t('column.code'), ({ row }) => row.code],
  [t('fact.kind'), ({ row }) => t(`kind.${row.kind}`)],
  [t('fact.issued'), ({ row }) => row.issued],
  ...(hasCompany ? buildCompanyColumns(t) : []),
  [t('column.subject'), ({ row }) => describeItem(row, t)],
  [t('fact.serviceCode'), ({ row }) => row.service_code],
  [t('fact.serviceName'), ({ row }) => row.service_name],
  [t('column.po'), ({ row }) => row.po_number ?? ''],
  [t('fact.currency'), ({ row }) => row.currency],
  [t('column.amount'), ({ row }) => getSignedAmount(row), 'number'],
  [t('fact.refunded'), ({ row }) => row.refunded, 'number'],
  [t('column.method'), ({ row }) => describeMethod(row, t)],
  [t('fact.reference'), ({ row }) => row.reference],
  [t('column.state'), ({ row }) => t(`state.${row.state}`)],
]

const buildCompanyColumns = (t: TFunction<'invoices'>): InvoiceColumn[] => [
  [t('fact.companyCode'), ({ row }) => row.company_code ?? ''],
  [t('column.company'), ({ row }) => row.company_name ?? ''],
]
