/** What the orders know and the backups show: a feature sees no other one, so the page hands it in. */
import type { ComponentType } from 'react'
import type { Currency } from '#domain/money.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { BackupFeeStep } from '#features/backups/backup-quote.ts'

/** What can be paid here: a subscription or a month of traffic (D66). */
export interface BackupPayable {
  contractType: 'PDBORDER' | 'TRAFFIC'
  id: number
  currency: Currency
  pay_amount: string
  /** The last second in which it can be paid; null: not known. */
  due: string | null
}

export interface OrderParts {
  /** The ways of paying it, and what came of them. */
  Payment: ComponentType<{ order: BackupPayable; onPaid: () => void }>
  /** For who comes back from a gateway. */
  PaymentReturn: ComponentType<{ order: BackupPayable; onSettled: () => void }>
  /** The steps of an amount as a tree. */
  FeeExplanation: ComponentType<{ currency: Currency; steps: readonly BackupFeeStep[] }>
  print: (kind: BackupPayable['contractType'], id: number) => AppThunk
}
