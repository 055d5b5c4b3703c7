/** The audit trail with the orders' way of finding a company: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import type { TrailCompanyFilter } from '#features/audit-trail/list/useTrailFilters.tsx'
import { TrailPage } from '#features/audit-trail/pages/TrailPage.tsx'

/** Of the provider's staff alone; without its code they see their own company's trail. */
const LazyCompanyFilter = lazy<TrailCompanyFilter>(() =>
  import(/* chunk: staff */ '#app/pages/TrailCompany.tsx').then(
    ({ TrailCompany: CompanyFilterPart }) => ({ default: CompanyFilterPart }),
    () => ({ default: () => null }),
  ),
)

const CompanyFilterIfLoaded: TrailCompanyFilter = (props) => (
  <Suspense fallback={null}>
    <LazyCompanyFilter {...props} />
  </Suspense>
)

export const AuditTrailRoute = () => <TrailPage CompanyFilter={CompanyFilterIfLoaded} />
