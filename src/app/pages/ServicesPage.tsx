/** The services with the orders' way of finding a company: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import type { CompanyFilter } from '#features/services/list/Filters.tsx'
import { Services } from '#features/services/list/ServicesPage.tsx'

/** Without its code the list is everybody's. */
const Picker = lazy<CompanyFilter>(() =>
  import(/* chunk: staff-services */ '#app/pages/ServiceCompany.tsx').then(
    ({ ServiceCompany: Drawn }) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

const CompanyFilterWhenHere: CompanyFilter = (props) => (
  <Suspense fallback={null}>
    <Picker {...props} />
  </Suspense>
)

export const OwnServices = () => <Services CompanyFilter={CompanyFilterWhenHere} />
