/** What a transfer pays: the transfer and the credit, less the selected items. */
import type { BankTransferRow, PayableItem, TransferProposal } from '#contract/staff/bank-transfers.ts'
import { type Hundredths, readAmount } from '#domain/money.ts'

/** Name of an item in a selection: `CONTRACT-12`. */
export const formatItemKey = ({ contractType, id }: Pick<PayableItem, 'contractType' | 'id'>): string =>
  `${contractType}-${id}`

export interface CreditSum {
  transfer: Hundredths
  /** Credit that the company has already. The server also frees what open payments of the same items hold. */
  balance: Hundredths
  items: Hundredths
  /** Stays credit. Negative if the items cost more. */
  rest: Hundredths
}

export function calculateCreditSum(
  { amount }: Pick<BankTransferRow, 'amount'>,
  balance: Hundredths,
  items: readonly Pick<PayableItem, 'amount'>[],
): CreditSum {
  const transfer = readAmount(amount)
  const itemSum = items.reduce((sum, item) => sum + readAmount(item.amount), 0n)
  return { transfer, balance, items: itemSum, rest: transfer + balance - itemSum }
}

/** Returns the proposal for a company, the best one first. */
export const findProposal = (
  { proposals }: Pick<BankTransferRow, 'proposals'>,
  companyId: number | null,
): TransferProposal | undefined => proposals.find(({ company_id }) => company_id === companyId)

/** Returns the keys of the items that are selected at first: those of the proposal, if the company chose nothing else. */
export const getProposedKeys = (transfer: Pick<BankTransferRow, 'proposals'>, companyId: number | null): string[] =>
  (findProposal(transfer, companyId)?.items ?? []).map(formatItemKey)
