import type { ComponentType } from 'react'
import type { OrderRow } from '#contract/orders.ts'

/** The running system of a contract (D50), rendered by the services. `onChanged`: what the order says of it is old. */
export type ContractServicePart = ComponentType<{ order: OrderRow; onChanged: () => void }>

/**
 * The backups of a contract's system (M123). `refreshCount`: a new number fetches all of it again; `Unavailable`: in place of it, if its
 * code is not on the device and there is no connection.
 */
export type ContractBackupsPart = ComponentType<{ order: OrderRow; refreshCount: number; Unavailable: ComponentType }>

export interface ContractParts {
  ServicePart: ContractServicePart
  Backups: ContractBackupsPart
}
