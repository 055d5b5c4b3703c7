import '#features/orders/wizard-words.ts'
import { ContractBackups } from '#features/backups/subscribe/ContractBackups.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import type { ContractBackupsPart } from '#features/orders/detail/service-part.ts'
import { PaymentDialog } from '#features/orders/payment/PaymentDialog.tsx'
import { PaymentResult } from '#features/orders/payment/PaymentResult.tsx'
import { printDocument } from '#features/orders/print/print-document.ts'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'

const noModules: ReadonlyMap<string, string> = new Map()

const orderParts: OrderParts = {
  PaymentDialog,
  PaymentReturn: PaymentResult,
  FeeExplanation: (props) => <FeeBreakdown {...props} namesByCode={noModules} />,
  print: printDocument,
}

export const ContractBackupsTab: ContractBackupsPart = (props) => <ContractBackups {...props} parts={orderParts} />
