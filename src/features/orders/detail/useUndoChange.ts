import { useRef } from 'react'
import { type OrderRow, undoChange } from '#contract/orders.ts'
import type { Intent } from '#contract/endpoint.ts'
import { findRefusalReason } from '#contract/problem.ts'
import { undoProblemReasons } from '#domain/undo-change.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import {
  fetchOrderOfIntent,
  getLostIntent,
  parseQuestion,
  toIntentOptions,
} from '#features/orders/draft/submit-order.ts'

interface UndoInput {
  contractId: number
  confirmKey?: string
  /** Set if the response of the last call was lost. That call may have restored the contract already. */
  lostIntent: Intent | null
}

const undoOnce =
  ({ contractId, lostIntent, ...body }: UndoInput): AppThunk<CallResult<OrderRow>> =>
  async (dispatch) => {
    const restoredOrder = lostIntent === null ? null : await dispatch(fetchOrderOfIntent(lostIntent))
    if (restoredOrder) return { kind: 'fresh', output: restoredOrder }
    const call = callEndpoint(undoChange, { params: { id: contractId }, body }, toIntentOptions(lostIntent))
    return (await dispatch(call)) as CallResult<OrderRow>
  }

/** Undoes the change that created a contract. `onRefused` is called if the server refuses, so that the page can fetch the current state. */
export function useUndoChange(
  contractId: number,
  { onUndone, onRefused }: { onUndone: (restoredOrder: OrderRow) => void; onRefused: () => void },
) {
  const { run, isBusy, problem, clearProblem } = useAction(undoOnce)
  const lostIntent = useRef<Intent | null>(null)
  const question = problem && parseQuestion(problem)
  const appsQuestion = question?.kind === 'apps' ? question : null

  async function undo(body: { confirmKey?: string }): Promise<void> {
    const result = await run({ contractId, lostIntent: lostIntent.current, ...body })
    if (result.kind === 'fresh') return onUndone(result.output)
    lostIntent.current = getLostIntent(result)
    if (result.kind === 'problem' && findRefusalReason(result.problem, undoProblemReasons)) onRefused()
  }

  return {
    isBusy,
    problem: appsQuestion ? null : problem,
    refusal: findRefusalReason(problem, undoProblemReasons),
    /** The apps that would change too, if the server asks the user for consent. */
    question: appsQuestion,
    undo: () => void undo({}),
    agree: () => appsQuestion && void undo({ confirmKey: appsQuestion.key }),
    decline: clearProblem,
  }
}
