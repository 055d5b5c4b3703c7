import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { TrailCompanyFilter } from '#features/audit-trail/list/useTrailFilters.tsx'
import { TrailPage } from '#features/audit-trail/pages/TrailPage.tsx'
import { FilterSpace } from '#patterns/list-page/FilterSpace.tsx'
import { useTranslation } from 'react-i18next'

function CompanyFilterSpace() {
  const { t } = useTranslation('audit')
  return <FilterSpace label={t('filter.company')} />
}

/** The company filter, for the provider's staff only. If its code cannot be loaded, they see the trail of their own company. */
const CompanyFilter: TrailCompanyFilter = createOptionalPart(
  async () => (await import(/* chunk: staff */ '#app/pages/TrailCompany.tsx')).TrailCompany,
  CompanyFilterSpace,
)

export const AuditTrailRoute = () => <TrailPage CompanyFilter={CompanyFilter} />
