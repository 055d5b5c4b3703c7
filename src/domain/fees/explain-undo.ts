import type { FeeStep } from '#domain/fees/explain.ts'

/**
 * Why an undo costs nothing, out of the steps of the change that it undoes: the time that is left is worth what was paid
 * for it, at the fees that it was sold at (D11).
 */
export function explainUndo(steps: readonly FeeStep[]): FeeStep[] {
  const paidSteps = steps.filter(({ code }) => code === 'paid')
  const residualStep = steps.find(({ code }) => code === 'residual')
  if (!residualStep) throw new Error('the change that is undone has no residual amount')
  const dueStep: FeeStep = {
    code: 'due',
    rule: 'D14',
    values: { contract: residualStep.amount, residual: residualStep.amount },
    amount: '0.00',
  }
  const restoredSteps = paidSteps.map((step): FeeStep => ({ ...step, code: 'segment' }))
  return [...restoredSteps, { ...residualStep, code: 'contract' }, ...paidSteps, residualStep, dueStep]
}
