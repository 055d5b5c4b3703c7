import type { ComponentType } from 'react'
import type { OrderRow } from '#contract/orders.ts'

/** The running system of a contract (D50): what the services know is handed in. `onChanged`: the order's own word on it is old. */
export type ContractServicePart = ComponentType<{ order: OrderRow; onChanged: () => void }>

/**
 * The backups of a contract's system (M123). `refreshCount`: another number each time that all of it is asked for anew; `Unavailable`: in place of
 * it, where its code is not kept and there is no line.
 */
export type ContractBackupsPart = ComponentType<{ order: OrderRow; refreshCount: number; Unavailable: ComponentType }>

export interface ContractParts {
  ServicePart: ContractServicePart
  Backups: ContractBackupsPart
}
