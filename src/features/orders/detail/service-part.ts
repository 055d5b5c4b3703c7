import type { ComponentType } from 'react'
import type { OrderRow } from '#contract/orders.ts'

/** The running system of a contract (D50): what the services know is handed in. `onChanged`: the order's own word on it is old. */
export type ContractServicePart = ComponentType<{ order: OrderRow; onChanged: () => void }>
