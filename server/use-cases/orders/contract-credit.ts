/**
 * Credit for smaller contracts, if `CREDIT_SMALLER_CONTRACTS` is set (D14, decision 124). The undo of a change takes back what the ledger says
 * that it has credited, also if the setting has changed since.
 */
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { type Currency, type Hundredths, writeAmount } from '#domain/money.ts'
import { addCreditEntry, findContractCredit, lockCredit } from '#server/db/payments/credit.ts'
import { hasRefundedContract, lockContractInvoices } from '#server/db/payments/documents.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

type CreditContext = Pick<UseCaseContext, 'db' | 'app' | 'now' | 'caller'>

interface ChangeTerms {
  quote: { type: 'create' | 'extend' | 'change'; contract_amount: Hundredths; residual_amount: Hundredths }
  isCreditable: boolean
}

interface CreditedService {
  companyId: number
  code: string
  /** For an order, not for a quote: a refund of the service's invoices waits until the commit. */
  isLocking: boolean
}

/**
 * Returns whether a change of the service's contract credits what it does not use. It does not if money of the service's contracts was or may be
 * sent back, because the same money would be given twice.
 */
export async function isUnusedCreditable(
  { db, app }: Pick<CreditContext, 'db' | 'app'>,
  { isLocking, ...service }: CreditedService,
): Promise<boolean> {
  if (!app.config.creditSmallerContracts) return false
  if (isLocking) await runAsSystem(db, () => lockContractInvoices(db, service))
  return !(await hasRefundedContract(db, service))
}

/** Returns the paid amount that a change does not use, by what happens to it. One of the two is 0. */
export function splitUnusedAmount({ quote, isCreditable }: ChangeTerms): {
  discarded: Hundredths
  credited: Hundredths
} {
  const unused = quote.type === 'change' ? getDiscardedAmount(quote) : 0n
  return isCreditable ? { discarded: 0n, credited: unused } : { discarded: unused, credited: 0n }
}

interface ContractCredit {
  companyId: number
  currency: Currency
  /** 0 if there is nothing to add or to take back. */
  amount: Hundredths
}

/** Locks the balance. Must be called before a change number is taken, because payments lock in this order. */
export async function lockContractCredit({ db }: CreditContext, { amount, ...ref }: ContractCredit): Promise<void> {
  if (amount > 0n) await runAsSystem(db, () => lockCredit(db, ref))
}

/** Adds the amount of the change that created the contract. The balance must be locked. */
export async function addContractCredit(
  { db, now, caller }: CreditContext,
  { amount, ...ref }: ContractCredit,
  contractId: number,
): Promise<void> {
  if (amount === 0n) return
  const source = { cause: 'contract', contract_id: contractId, user_id: caller.userId } as const
  await runAsSystem(db, () => addCreditEntry(db, ref, { amount, now, ...source }))
}

/**
 * Returns what the change that created the contract has credited, and locks the balance if that is above 0. Throws STATE_CONFLICT
 * `creditTooLow` with `available` and `amount` if it was used or open payments need it.
 */
export async function claimContractCredit(
  { db }: CreditContext,
  { companyId, currency }: Omit<ContractCredit, 'amount'>,
  contractId: number,
): Promise<ContractCredit> {
  const ref = { companyId, currency }
  const amount = await findContractCredit(db, companyId, contractId)
  if (amount === 0n) return { ...ref, amount }
  const { available } = await runAsSystem(db, () => lockCredit(db, ref))
  if (available >= amount) return { ...ref, amount }
  const figures = { available: writeAmount(available < 0n ? 0n : available), amount: writeAmount(amount), currency }
  throw new ProblemError('STATE_CONFLICT', { why: 'creditTooLow', ...figures })
}

/** Takes back the claimed amount. `contractId` is the contract that the undo created. */
export const takeBackContractCredit = (
  context: CreditContext,
  { amount, ...ref }: ContractCredit,
  contractId: number,
): Promise<void> => addContractCredit(context, { ...ref, amount: -amount }, contractId)
