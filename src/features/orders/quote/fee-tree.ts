/** Builds a tree from the amount due to single users and modules. Without an amount due, its root is the annual fee. */
import type { FeeStep } from '#domain/fees/explain.ts'
import { readAmount, writeAmount } from '#domain/money.ts'

export type QuoteStep = Pick<FeeStep, 'rule' | 'values' | 'amount'> & { code: string }

export interface FeeBranch {
  /** `modules` is the sum of all `module` steps; there is no step with this code. */
  code: string
  values: Record<string, string>
  amount: string
  rule: string
  branches: FeeBranch[]
}

export function buildFeeTree(steps: readonly QuoteStep[]): FeeBranch | null {
  const toBranches = (code: string) => steps.filter((step) => step.code === code).map((step) => toBranch(step))
  const toParentBranch = (code: string, branches: FeeBranch[]): FeeBranch[] => {
    const parentStep = steps.find((step) => step.code === code)
    return parentStep ? [toBranch(parentStep, branches)] : []
  }
  const sum = toParentBranch('sum', [...toBranches('users'), ...groupModules(toBranches('module'))])
  const annual = toParentBranch('annual', unwrapSingle([...sum, ...toBranches('uat'), ...toBranches('minimum')]))
  const backupParts = [
    ...toBranches('months'),
    ...toBranches('discount'),
    ...toBranches('traffic'),
    ...toBranches('carriedFrom'),
    ...toBranches('carriedOn'),
  ]
  if (backupParts.length > 0) return toParentBranch('due', backupParts)[0] ?? null
  const isChange = steps.some(({ code }) => code === 'contract')
  const dueParts = isChange
    ? [
        ...annual,
        ...toParentBranch('contract', toBranches('segment')),
        ...toParentBranch('residual', toBranches('paid')),
      ]
    : toParentBranch('years', isOneYear(steps) ? unwrapSingle(annual) : annual)
  return toParentBranch('due', dueParts)[0] ?? annual[0] ?? null
}

/** Skips a level with a single branch, because it would only repeat the amount of that branch. */
const unwrapSingle = (branches: FeeBranch[]): FeeBranch[] =>
  branches.length === 1 ? (branches[0]?.branches ?? []) : branches
const isOneYear = (steps: readonly QuoteStep[]) =>
  steps.some(({ code, values }) => code === 'years' && values.years === '1')

const toBranch = ({ code, values, amount, rule }: QuoteStep, branches: FeeBranch[] = []): FeeBranch => ({
  code,
  values,
  amount,
  rule,
  branches,
})

function groupModules(branches: FeeBranch[]): FeeBranch[] {
  if (branches.length === 0) return []
  const sum = branches.reduce((total, { amount }) => total + readAmount(amount), 0n)
  const values = { count: String(branches.length) }
  return [{ code: 'modules', values, amount: writeAmount(sum), rule: 'D4', branches }]
}
