/** The audit trail with the orders' way of finding a company: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import type { CompanyFilter } from '#features/audit-trail/list/Filters.tsx'
import { Trail } from '#features/audit-trail/pages/TrailPage.tsx'

/** Of the provider's staff alone; without its code they see their own company's trail. */
const Picker = lazy<CompanyFilter>(() =>
  import(/* chunk: staff */ '#app/pages/TrailCompany.tsx').then(
    ({ TrailCompany: Drawn }) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

const CompanyFilterWhenHere: CompanyFilter = (props) => (
  <Suspense fallback={null}>
    <Picker {...props} />
  </Suspense>
)

export const OwnTrail = () => <Trail CompanyFilter={CompanyFilterWhenHere} />
