import type { Step } from '#domain/fees/explain.ts'

/**
 * Why an undo costs nothing, out of the steps of the change that it undoes: the time that is left is worth what was paid
 * for it, at the fees that it was sold at (D11).
 */
export function explainUndo(steps: readonly Step[]): Step[] {
  const paid = steps.filter(({ code }) => code === 'paid')
  const residual = steps.find(({ code }) => code === 'residual')
  if (!residual) throw new Error('the change that is undone has no residual amount')
  const due: Step = {
    code: 'due',
    rule: 'D14',
    values: { contract: residual.amount, residual: residual.amount },
    amount: '0.00',
  }
  const restored = paid.map((step): Step => ({ ...step, code: 'segment' }))
  return [...restored, { ...residual, code: 'contract' }, ...paid, residual, due]
}
