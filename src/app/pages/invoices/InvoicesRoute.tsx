import { useTranslation } from 'react-i18next'
import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { type InvoiceCompanyFilter, InvoicesPage } from '#features/invoices/list/InvoicesPage.tsx'
import { FilterSpace } from '#patterns/list-page/FilterSpace.tsx'

function CompanyFilterSpace() {
  const { t } = useTranslation('invoices')
  return <FilterSpace label={t('filter.company')} />
}

/** The company filter, for the provider's staff only. If its code cannot be loaded, they see the invoices of all companies. */
const CompanyFilter: InvoiceCompanyFilter = createOptionalPart(
  async () => (await import(/* chunk: staff */ '#app/pages/invoices/InvoiceCompany.tsx')).InvoiceCompany,
  CompanyFilterSpace,
)

export const InvoicesRoute = () => <InvoicesPage CompanyFilter={CompanyFilter} />
