import type { ServiceRow } from '#contract/services.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { BackupStyles } from '#features/backups/BackupStyles.tsx'
import { StoredBackups } from '#features/backups/stored/StoredBackups.tsx'
import { BrokenBackups } from '#features/backups/BrokenBackups.tsx'
import { useServices, useStoredBackups } from '#features/backups/backup-hooks.ts'

/** Shows the backups on the page of a service, for the provider's staff, without the customer's payments. */
export function ServiceBackups({ service }: { service: ServiceRow }) {
  const storedBackups = useStoredBackups(service.id)
  const services = useServices()
  const today = useBusinessToday()
  const refresh = () => {
    storedBackups.refresh()
    services.refetch()
  }
  if (today === null) return <BackupStyles />
  return (
    <div className="backups">
      <BackupStyles />
      <BrokenBackups service={service} plan={storedBackups.plan} />
      <StoredBackups {...{ service, storedBackups, today }} services={services.rows} onDone={refresh} />
    </div>
  )
}
