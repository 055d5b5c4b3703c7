import { useState } from 'react'
import { requestProforma } from '#contract/invoices.ts'
import type { InputOf, OutputOf } from '#contract/endpoint.ts'
import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { useAction } from '#state/use-action.ts'

export type Proforma = OutputOf<typeof requestProforma>
type ProformaItems = InputOf<typeof requestProforma>['body']['items']

export type ProformaState = ReturnType<typeof useProforma>

/** Returns whether there is nothing to transfer, because credit pays all. */
export const isCoveredByCredit = (problem: Problem | null): boolean =>
  findRefusalReason(problem, ['creditCovers'] as const) !== null

/**
 * The pro-forma invoice for a bank transfer (decision 124). A repeated request returns the same one while nothing has changed. `onCovered` is
 * called if the server issues none because credit pays all.
 */
export function useProforma(items: ProformaItems, onCovered: () => void) {
  const { isBusy, problem, run, clearProblem } = useAction(requestProforma)
  const [record, setRecord] = useState<Proforma | null>(null)
  return {
    /** The issued invoice while its bank details are displayed. Null while the payer chooses a method. */
    record,
    isBusy,
    problem,
    async request() {
      const result = await run({ body: { items } })
      if (result.kind === 'fresh') setRecord(result.output)
      else if (result.kind === 'problem' && isCoveredByCredit(result.problem)) onCovered()
    },
    /** Returns to the choice of methods. The issued invoice stays valid. */
    leave() {
      clearProblem()
      setRecord(null)
    },
  }
}
