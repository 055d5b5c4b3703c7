/** The services with the orders' way of finding a company: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import { type ServiceCompanyFilter, ServiceListPage } from '#features/services/list/ServiceListPage.tsx'

/** Without its code the list is everybody's. */
const LazyCompanyFilter = lazy<ServiceCompanyFilter>(() =>
  import(/* chunk: staff-services */ '#app/pages/ServiceCompany.tsx').then(
    ({ ServiceCompany: CompanyFilterPart }) => ({ default: CompanyFilterPart }),
    () => ({ default: () => null }),
  ),
)

const CompanyFilterIfLoaded: ServiceCompanyFilter = (props) => (
  <Suspense fallback={null}>
    <LazyCompanyFilter {...props} />
  </Suspense>
)

export const ServicesRoute = () => <ServiceListPage CompanyFilter={CompanyFilterIfLoaded} />
