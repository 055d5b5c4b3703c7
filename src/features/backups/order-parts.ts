/** Components of the orders feature. The app passes them to the backups, because a feature imports no other feature. */
import type { ComponentType } from 'react'
import type { Currency } from '#domain/money.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { BackupFeeStep } from '#features/backups/backup-quote.ts'

/** A subscription or a month of traffic that can be paid (D66). */
export interface BackupPayable {
  contractType: 'PDBORDER' | 'TRAFFIC'
  id: number
  currency: Currency
  pay_amount: string
  /** Last second in which the payment is possible; null if unknown. */
  due: string | null
}

export interface OrderParts {
  PaymentDialog: ComponentType<{ title: string; order: BackupPayable; onClose: () => void; onPaid: () => void }>
  PaymentReturn: ComponentType<{ order: BackupPayable; onSettled: () => void }>
  FeeExplanation: ComponentType<{ currency: Currency; steps: readonly BackupFeeStep[] }>
  print: (kind: BackupPayable['contractType'], id: number) => AppThunk
}
