import { lazy } from 'react'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { ContractPage } from '#features/orders/detail/ContractPage.tsx'
import type { ContractBackupsPart, ContractServicePart } from '#features/orders/detail/service-part.ts'

/** The service of a contract. If its code cannot be loaded, the contract is shown without the service. */
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

export const ContractRoute = () => (
  <ContractPage ServicePart={LazyService} ActivityPart={ServiceEvents} Backups={LazyBackups} />
)
