/**
 * The steps of an amount as a tree: what is due, what it is made of, and so on down to single users and modules. Steps of a year's
 * fee alone begin with that fee.
 */
import type { Step } from '#domain/fees/explain.ts'
import { readAmount, writeAmount } from '#domain/money.ts'

/** As they come over the wire too. */
export type AnyStep = Pick<Step, 'rule' | 'values' | 'amount'> & { code: string }

export interface Branch {
  /** `modules` is the sum of the steps of that kind, which is no step of its own. */
  code: string
  values: Record<string, string>
  amount: string
  rule: string
  parts: Branch[]
}

export function treeOf(steps: readonly AnyStep[]): Branch | null {
  const all = (code: string) => steps.filter((step) => step.code === code).map((step) => branch(step))
  const one = (code: string, parts: Branch[]): Branch[] => {
    const found = steps.find((step) => step.code === code)
    return found ? [branch(found, parts)] : []
  }
  const sum = one('sum', [...all('users'), ...modulesOf(all('module'))])
  const annual = one('annual', plain([...sum, ...all('uat'), ...all('minimum')]))
  // Of a backup, or of a month of traffic.
  const alone = [...all('months'), ...all('discount'), ...all('traffic'), ...all('carriedFrom'), ...all('carriedOn')]
  if (alone.length > 0) return one('due', alone)[0] ?? null
  const isChange = steps.some(({ code }) => code === 'contract')
  const made = isChange
    ? [...annual, ...one('contract', all('segment')), ...one('residual', all('paid'))]
    : one('years', isOneYear(steps) ? plain(annual) : annual)
  return one('due', made)[0] ?? annual[0] ?? null
}

/** What is made of one part alone says no more than that part's own parts. */
const plain = (parts: Branch[]): Branch[] => (parts.length === 1 ? (parts[0]?.parts ?? []) : parts)
const isOneYear = (steps: readonly AnyStep[]) =>
  steps.some(({ code, values }) => code === 'years' && values.years === '1')

const branch = ({ code, values, amount, rule }: AnyStep, parts: Branch[] = []): Branch => ({
  code,
  values,
  amount,
  rule,
  parts,
})

function modulesOf(parts: Branch[]): Branch[] {
  if (parts.length === 0) return []
  const sum = parts.reduce((total, { amount }) => total + readAmount(amount), 0n)
  const values = { count: String(parts.length) }
  return [{ code: 'modules', values, amount: writeAmount(sum), rule: 'D4', parts }]
}
