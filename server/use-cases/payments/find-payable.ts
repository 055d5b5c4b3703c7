import type { PayableRef } from '#server/db/payments/payables.ts'
import type { LockedPayable, PaymentContext } from '#server/use-cases/payments/payable.ts'
import { buildBackupPayable } from '#server/use-cases/payments/payable-backups.ts'
import { buildOrderPayable } from '#server/use-cases/payments/payable-orders.ts'
import { buildTrafficPayable } from '#server/use-cases/payments/payable-traffic.ts'

const findersByKind = { order: buildOrderPayable, backup: buildBackupPayable, traffic: buildTrafficPayable } as const

/** Locks the payable until the commit. Returns null if the payable does not exist. */
export const findPayable = (context: PaymentContext, { kind, id }: PayableRef): Promise<LockedPayable | null> =>
  findersByKind[kind](context, id)
