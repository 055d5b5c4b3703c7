import '#features/orders/words.ts'
import { useTranslation } from 'react-i18next'
import type { InvoiceCompanyFilter } from '#features/invoices/list/InvoicesPage.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'

/** Selects the company whose invoices are listed. An empty selection means all companies. */
export const InvoiceCompany: InvoiceCompanyFilter = ({ companyId, onChoose }) => {
  const { t } = useTranslation('orders')
  return (
    <CompanyPicker
      label={t('companies.label')}
      placeholder={t('companies.any')}
      noneLabel={t('companies.any')}
      companyId={companyId}
      onChoose={onChoose}
    />
  )
}
