/** A service with what was done to it and with its backups: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { Service } from '#features/services/info/ServicePage.tsx'
import type { ServiceBackupsPart } from '#features/services/info/ServicePanel.tsx'

/** Where its code is not kept and there is no line, the service stands without them. */
const Backups = lazy<ServiceBackupsPart>(() =>
  import(/* chunk: staff-backups */ '#features/backups/stored/ServiceBackups.tsx').then(
    ({ ServiceBackups: Drawn }) => ({ default: ({ row }) => <Drawn service={row} /> }),
    () => ({ default: () => null }),
  ),
)

const BackupsWhenHere: ServiceBackupsPart = (props) => (
  <Suspense fallback={null}>
    <Backups {...props} />
  </Suspense>
)

export const OwnService = () => <Service Events={ServiceEvents} Backups={BackupsWhenHere} />
