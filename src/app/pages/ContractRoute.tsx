/** A contract with what the services know of its running system, and the tab of its backups: a feature sees no other one. */
import { lazy } from 'react'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { ContractPage } from '#features/orders/detail/ContractPage.tsx'
import type { ContractBackupsPart, ContractServicePart } from '#features/orders/detail/service-part.ts'

/** Where its part is not kept yet and there is no line, the contract stands without it. */
const LazyService = lazy<ContractServicePart>(() =>
  import(/* chunk: orders-services */ '#features/services/info/ContractService.tsx').then(
    ({ ContractService: ServicePart }) => ({
      default: (props) => <ServicePart {...props} EventsPart={ServiceEvents} />,
    }),
    () => ({ default: () => null }),
  ),
)

const LazyBackups = lazy<ContractBackupsPart>(() =>
  import(/* chunk: orders-backups */ '#app/pages/ContractBackupsTab.tsx').then(
    ({ ContractBackupsTab: BackupsPart }) => ({ default: BackupsPart }),
    () => ({ default: ({ Unavailable }) => <Unavailable /> }),
  ),
)

export const ContractRoute = () => <ContractPage ServicePart={LazyService} Backups={LazyBackups} />
