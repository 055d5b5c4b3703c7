import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { type ServiceCompanyFilter, ServiceListPage } from '#features/services/list/ServiceListPage.tsx'
import { FilterSpace } from '#patterns/list-page/FilterSpace.tsx'
import { useTranslation } from 'react-i18next'

function CompanyFilterSpace() {
  const { t } = useTranslation('services')
  return <FilterSpace label={t('filter.company')} />
}

/** The company filter, for the provider's staff only. If its code cannot be loaded, the list shows the services of all companies. */
const CompanyFilter: ServiceCompanyFilter = createOptionalPart(
  async () => (await import(/* chunk: staff-services */ '#app/pages/ServiceCompany.tsx')).ServiceCompany,
  CompanyFilterSpace,
)

export const ServicesRoute = () => <ServiceListPage CompanyFilter={CompanyFilter} />
