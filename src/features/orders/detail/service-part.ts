import type { ComponentType } from 'react'
import type { OrderRow } from '#contract/orders.ts'

/** The running system of a contract (D50). `onChanged` is called if the order's data about it is out of date. */
export type ContractServicePart = ComponentType<{ order: OrderRow; onChanged: () => void }>

/**
 * The backups of a contract's system (M123). A new `refreshCount` fetches all of it again. `Unavailable` is rendered if the code is not on
 * the device and there is no connection.
 */
export type ContractBackupsPart = ComponentType<{ order: OrderRow; refreshCount: number; Unavailable: ComponentType }>

/** The latest audit entries of an order that has no running system. `ServicePart` shows those of a running one. */
export type ContractActivityPart = ComponentType<{ row: Pick<OrderRow, 'code' | 'company_id' | 'row_version'> }>

export interface ContractParts {
  ServicePart: ContractServicePart
  ActivityPart: ContractActivityPart
  Backups: ContractBackupsPart
}
