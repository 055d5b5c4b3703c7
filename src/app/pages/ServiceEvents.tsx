/** What was done to a service lately, out of the audit trail: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import type { ServiceEventsPart } from '#features/services/info/ServicePanel.tsx'

/** Where its code is not kept and there is no line, the service stands without it. */
const LazyRecentEntries = lazy<ServiceEventsPart>(() =>
  import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx').then(
    ({ RecentEntries: RecentEntriesPart }) => ({
      default: ({ row }) => (
        <RecentEntriesPart code="service" name={row.code} companyId={row.company_id} refreshKey={row.row_version} />
      ),
    }),
    () => ({ default: () => null }),
  ),
)

export const ServiceEvents: ServiceEventsPart = (props) => (
  <Suspense fallback={null}>
    <LazyRecentEntries {...props} />
  </Suspense>
)
