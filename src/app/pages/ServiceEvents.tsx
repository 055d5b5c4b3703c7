import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { canReadEntries } from '#domain/access.ts'
import type { ContractActivityPart } from '#features/orders/detail/service-part.ts'
import type { ServiceEventsPart } from '#features/services/info/ServicePanel.tsx'
import { useSignedInSession } from '#state/use-store.ts'
import { SkeletonCard } from '#ui/page/Skeleton.tsx'

/** Everything that happened to a service and its contract: orders, payments, operations and backups. */
export const ServiceEvents: ServiceEventsPart & ContractActivityPart = createOptionalPart(
  async () => {
    const { RecentEntries } = await import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx')
    return ({ row }) => <RecentEntries name={row.code} companyId={row.company_id} refreshKey={row.row_version} />
  },
  ({ row }) => {
    const { caller } = useSignedInSession()
    return canReadEntries(caller, row.company_id) ? <SkeletonCard /> : null
  },
)
