/** A service with what was done to it and with its backups: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { ServiceDetailsPage } from '#features/services/info/ServiceDetailsPage.tsx'
import type { ServiceBackupsPart } from '#features/services/info/ServicePanel.tsx'

/** Where its code is not kept and there is no line, the service stands without them. */
const LazyBackups = lazy<ServiceBackupsPart>(() =>
  import(/* chunk: staff-backups */ '#features/backups/stored/ServiceBackups.tsx').then(
    ({ ServiceBackups: BackupsPart }) => ({ default: ({ row }) => <BackupsPart service={row} /> }),
    () => ({ default: () => null }),
  ),
)

const BackupsIfLoaded: ServiceBackupsPart = (props) => (
  <Suspense fallback={null}>
    <LazyBackups {...props} />
  </Suspense>
)

export const ServiceRoute = () => <ServiceDetailsPage EventsPart={ServiceEvents} Backups={BackupsIfLoaded} />
