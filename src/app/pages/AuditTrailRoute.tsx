/** The audit trail with the orders' way of finding a company: a feature sees no other one. */
import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { TrailCompanyFilter } from '#features/audit-trail/list/useTrailFilters.tsx'
import { TrailPage } from '#features/audit-trail/pages/TrailPage.tsx'

/** Of the provider's staff alone. Without its code they see their own company's trail. */
const CompanyFilter: TrailCompanyFilter = createOptionalPart(
  async () => (await import(/* chunk: staff */ '#app/pages/TrailCompany.tsx')).TrailCompany,
)

export const AuditTrailRoute = () => <TrailPage CompanyFilter={CompanyFilter} />
