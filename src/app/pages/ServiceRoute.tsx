import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { ServiceDetailsPage } from '#features/services/info/ServiceDetailsPage.tsx'
import type { ServiceBackupsPart } from '#features/services/info/ServicePanel.tsx'

const Backups: ServiceBackupsPart = createOptionalPart(async () => {
  const { ServiceBackups } = await import(/* chunk: staff-backups */ '#features/backups/stored/ServiceBackups.tsx')
  return ({ row }) => <ServiceBackups service={row} />
})

export const ServiceRoute = () => <ServiceDetailsPage EventsPart={ServiceEvents} Backups={Backups} />
