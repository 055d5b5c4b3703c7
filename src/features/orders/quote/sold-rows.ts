/** Builds the price at which a contract was sold: its parts, their sum (the annual fee), and the total. */
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { QuoteStep } from '#features/orders/quote/fee-tree.ts'

/** What the price table needs of a contract, or of an order that has none yet. */
export type PricedSale = Pick<
  ContractRow,
  'id' | 'code' | 'restores' | 'steps' | 'currency' | 'price_date' | 'pay_amount'
>

export interface SoldRow {
  kind: 'part' | 'sum' | 'deduction' | 'total'
  step: QuoteStep
}

const partCodes = new Set(['users', 'module', 'uat', 'minimum'])

/** An undo is priced like the contract that it restores. A row stored by an earlier build has no steps. */
export function buildSoldRows(contract: PricedSale, history: readonly PricedSale[]): SoldRow[] {
  const steps = contract.steps ?? []
  const pricedSteps = findPricedContract(contract, history)?.steps ?? []
  const findRows = (code: string, kind: SoldRow['kind'], source: readonly QuoteStep[] = steps): SoldRow[] =>
    source.filter((step) => step.code === code).map((step) => ({ kind, step }))
  return [
    ...pricedSteps.filter(({ code }) => partCodes.has(code)).map((step): SoldRow => ({ kind: 'part', step })),
    ...findRows('annual', 'sum', pricedSteps),
    // For one year this row would repeat the annual fee.
    ...findRows('years', 'sum').filter(({ step }) => step.values.years !== '1'),
    ...findRows('contract', 'sum'),
    ...findRows('residual', 'deduction'),
    ...findRows('due', 'total'),
  ]
}

/**
 * Returns the contract whose price applies: a contract that restores an earlier one has its price, so `restores` is followed back to the
 * first. Returns null if that contract is not in `history`.
 */
export function findPricedContract(contract: PricedSale, history: readonly PricedSale[]): PricedSale | null {
  if (contract.restores === null) return contract
  const restoredContract = history.find(({ code }) => code === contract.restores)
  return restoredContract && restoredContract.id !== contract.id ? findPricedContract(restoredContract, history) : null
}
