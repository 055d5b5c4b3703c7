import type { TFunction } from 'i18next'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import { describeItem, describeMethod, describeState, getSignedAmount } from '#features/invoices/describe-invoice.ts'
import type { ListedInvoice } from '#features/invoices/slice.ts'

type InvoiceColumn = ExportColumn<OverlaidRow<ListedInvoice>>

/** The selected company. `name` is empty if it is not known. */
export interface ExportedCompany {
  code: string
  name: string
}

/**
 * Columns of the exported file: every fact in a cell of its own. Amounts are numbers, negative for credit notes. `company` is the company of
 * all rows, `each` if each row has its own, and null if the file does not name it.
 */
export const buildInvoiceExportColumns = (
  t: TFunction<'invoices'>,
  company: ExportedCompany | 'each' | null,
): InvoiceColumn[] => [
  [t('column.code'), ({ row }) => row.code],
  [t('fact.kind'), ({ row }) => t(`kind.${row.kind}`)],
  [t('fact.credited'), ({ row }) => (row.kind === 'creditNote' ? row.invoice_code : '')],
  [t('fact.issued'), ({ row }) => row.issued],
  ...(company === null ? [] : buildCompanyColumns(t, company)),
  [t('column.subject'), ({ row }) => describeItem(row, t)],
  [t('fact.serviceCode'), ({ row }) => row.service_code],
  [t('fact.serviceName'), ({ row }) => row.service_name],
  [t('column.po'), ({ row }) => row.po_number ?? ''],
  [t('fact.currency'), ({ row }) => row.currency],
  [t('column.amount'), ({ row }) => getSignedAmount(row), 'number'],
  [t('fact.refunded'), ({ row }) => row.refunded, 'number'],
  [t('fact.refunding'), ({ row }) => row.refunding, 'number'],
  [t('column.method'), ({ row }) => describeMethod(row, t)],
  [t('fact.reference'), ({ row }) => row.reference],
  [t('column.state'), ({ row }) => describeState(row, t).text],
]

const buildCompanyColumns = (t: TFunction<'invoices'>, company: ExportedCompany | 'each'): InvoiceColumn[] => {
  const getCompany = ({ company_code: code = '', company_name: name = '' }: ListedInvoice): ExportedCompany =>
    company === 'each' ? { code, name } : company
  return [
    [t('fact.companyCode'), ({ row }) => getCompany(row).code],
    [t('column.company'), ({ row }) => getCompany(row).name],
  ]
}
