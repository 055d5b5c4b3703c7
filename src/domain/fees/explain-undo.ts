import type { FeeStep } from '#domain/fees/explain.ts'

/** Returns the calculation steps of a free undo: the remaining time is worth the amount that was paid for it, at its old fees (D11). */
export function explainUndo(steps: readonly FeeStep[]): FeeStep[] {
  const paidSteps = steps.filter(({ code }) => code === 'paid')
  const residualStep = steps.find(({ code }) => code === 'residual')
  if (!residualStep) throw new Error('the undone change has no residual amount')
  const dueStep: FeeStep = {
    code: 'due',
    rule: 'D14',
    values: { contract: residualStep.amount, residual: residualStep.amount },
    amount: '0.00',
  }
  const restoredSteps = paidSteps.map((step): FeeStep => ({ ...step, code: 'segment' }))
  return [...restoredSteps, { ...residualStep, code: 'contract' }, ...paidSteps, residualStep, dueStep]
}
