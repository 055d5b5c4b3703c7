/** Builds the values of mails about bank transfers that were credited. */
import { groupThousands } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findTransfer, listInvoicesOfTransfers } from '#server/db/payments/bank-transfers.ts'
import { getPaymentReference } from '#server/use-cases/bank-transfers/transfer-rows.ts'
import type { TransferMailRequest } from '#server/use-cases/mail/mail-kinds.ts'

interface TransferMailValues {
  amount: string
  date: string
  /** Numbers of the invoices that it paid. */
  invoice: string
  /** The credit balance. */
  left: string
  path: string
}

/** Returns null if the transfer was taken back in the meantime. Runs as the system role. */
export async function readTransferMailValues(
  db: DatabaseHandle,
  { transferId, balance }: TransferMailRequest,
  language: Language,
): Promise<TransferMailValues | null> {
  const transfer = await findTransfer(db, transferId)
  if (transfer?.state !== 'credited') return null
  const { currency, amount, day } = transfer
  const reference = getPaymentReference(transfer)
  const invoices = (await listInvoicesOfTransfers(db, [reference])).get(reference) ?? []
  const formatMoney = (money: string) => `${currency} ${groupThousands(money)}`
  return {
    amount: formatMoney(amount),
    date: day,
    invoice: invoices.join(', '),
    left: formatMoney(balance),
    path: `/saas/app/invoice?lang=${language}`,
  }
}
