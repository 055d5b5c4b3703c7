import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import type { ServiceEventsPart } from '#features/services/info/ServicePanel.tsx'

export const ServiceEvents: ServiceEventsPart = createOptionalPart(async () => {
  const { RecentEntries } = await import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx')
  return ({ row }) => (
    <RecentEntries code="service" name={row.code} companyId={row.company_id} refreshKey={row.row_version} />
  )
})
