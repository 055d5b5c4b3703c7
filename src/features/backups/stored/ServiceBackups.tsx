import type { ServiceRow } from '#contract/services.ts'
import { Sheet } from '#features/backups/BackupStyles.tsx'
import { StoredBackups } from '#features/backups/stored/StoredBackups.tsx'
import { Broken } from '#features/backups/Broken.tsx'
import { useBusinessToday, useServices, useStored } from '#features/backups/useBackups.ts'

/** The backups on the page of a service, for the provider's staff: what is paid for them is the customer's. */
export function ServiceBackups({ service }: { service: ServiceRow }) {
  const stored = useStored(service.id)
  const services = useServices()
  const today = useBusinessToday()
  const refresh = () => {
    stored.refresh()
    services.refetch()
  }
  if (today === null) return <Sheet />
  return (
    <div className="backups">
      <Sheet />
      <Broken service={service} plan={stored.plan} />
      <StoredBackups {...{ service, stored, today }} services={services.rows} onDone={refresh} />
    </div>
  )
}
