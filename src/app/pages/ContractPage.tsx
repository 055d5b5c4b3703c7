/** A contract with what the services know of its running system, and the tab of its backups: a feature sees no other one. */
import { lazy } from 'react'
import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { Contract } from '#features/orders/detail/ContractPage.tsx'
import type { ContractBackupsPart, ContractServicePart } from '#features/orders/detail/service-part.ts'

/** Where its part is not kept yet and there is no line, the contract stands without it. */
const Service = lazy<ContractServicePart>(() =>
  import(/* chunk: orders-services */ '#features/services/info/ContractService.tsx').then(
    ({ ContractService: Drawn }) => ({ default: (props) => <Drawn {...props} Events={ServiceEvents} /> }),
    () => ({ default: () => null }),
  ),
)

const Backups = lazy<ContractBackupsPart>(() =>
  import(/* chunk: orders-backups */ '#app/pages/ContractBackups.tsx').then(
    ({ BackupsOfContract: Drawn }) => ({ default: Drawn }),
    () => ({ default: ({ NotHere }) => <NotHere /> }),
  ),
)

export const OwnContract = () => <Contract Service={Service} Backups={Backups} />
