import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { TrailCompanyFilter } from '#features/audit-trail/list/useTrailFilters.tsx'
import { TrailPage } from '#features/audit-trail/pages/TrailPage.tsx'

/** For the provider's staff only. Without its code they see their own company's trail. */
const CompanyFilter: TrailCompanyFilter = createOptionalPart(
  async () => (await import(/* chunk: staff */ '#app/pages/TrailCompany.tsx')).TrailCompany,
)

export const AuditTrailRoute = () => <TrailPage CompanyFilter={CompanyFilter} />
