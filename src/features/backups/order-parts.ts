/** Components of the orders that the page passes to the backups: a feature imports no other feature. */
import type { ComponentType } from 'react'
import type { Currency } from '#domain/money.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { BackupFeeStep } from '#features/backups/backup-quote.ts'

/** A subscription or a month of traffic that is paid (D66). */
export interface BackupPayable {
  contractType: 'PDBORDER' | 'TRAFFIC'
  id: number
  currency: Currency
  pay_amount: string
  /** The last second of payment; null: not known. */
  due: string | null
}

export interface OrderParts {
  /** The methods of payment, and the result. */
  Payment: ComponentType<{ order: BackupPayable; onPaid: () => void }>
  /** The result, when the user returns from a gateway. */
  PaymentReturn: ComponentType<{ order: BackupPayable; onSettled: () => void }>
  /** The steps of an amount as a tree. */
  FeeExplanation: ComponentType<{ currency: Currency; steps: readonly BackupFeeStep[] }>
  print: (kind: BackupPayable['contractType'], id: number) => AppThunk
}
