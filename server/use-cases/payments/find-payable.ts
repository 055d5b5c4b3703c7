/** Whatever can be paid, by its kind. */
import type { PayableRef } from '#server/db/payments/payables.ts'
import type { Payable, PaymentWork } from '#server/use-cases/payments/payable.ts'
import { backupToPay } from '#server/use-cases/payments/payable-backups.ts'
import { orderToPay } from '#server/use-cases/payments/payable-orders.ts'
import { trafficToPay } from '#server/use-cases/payments/payable-traffic.ts'

const find = { order: orderToPay, backup: backupToPay, traffic: trafficToPay } as const

/** Held until the commit. Null: there is none of that number. */
export const findPayable = (till: PaymentWork, { kind, id }: PayableRef): Promise<Payable | null> =>
  find[kind](till, id)
