/** The rows of what a contract was sold at: its parts add up to the annual fee, and that leads to the total of the sale. */
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { AnyStep } from '#features/orders/quote/fee-tree.ts'

export interface SoldRow {
  kind: 'part' | 'sum' | 'deduction' | 'total'
  step: AnyStep
}

const parts = new Set(['users', 'module', 'uat', 'minimum'])

/** An undo was sold at the prices of the contract that it restores. Rows that an earlier build stored have no steps. */
export function soldRows(contract: ContractRow, history: readonly ContractRow[]): SoldRow[] {
  const steps = contract.steps ?? []
  const priced = pricedBy(contract, history)?.steps ?? []
  const all = (code: string, kind: SoldRow['kind'], from: readonly AnyStep[] = steps): SoldRow[] =>
    from.filter((step) => step.code === code).map((step) => ({ kind, step }))
  return [
    ...priced.filter(({ code }) => parts.has(code)).map((step): SoldRow => ({ kind: 'part', step })),
    ...all('annual', 'sum', priced),
    // One year says no more than the annual fee.
    ...all('years', 'sum').filter(({ step }) => step.values.years !== '1'),
    ...all('contract', 'sum'),
    ...all('residual', 'deduction'),
    ...all('due', 'total'),
  ]
}

/** The contract whose order was priced by the list; null: it is not here. */
export function pricedBy(contract: ContractRow, history: readonly ContractRow[]): ContractRow | null {
  if (contract.restores === null) return contract
  const restored = history.find(({ code }) => code === contract.restores)
  return restored && restored.id !== contract.id ? pricedBy(restored, history) : null
}
