import { useState } from 'react'
import { type OrderRow, undoChange } from '#contract/orders.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type UndoRefusal, undoRefusals } from '#domain/undo-change.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import {
  type OrderAppChange,
  fetchOrderOfIntent,
  isConnectionLost,
  parseQuestion,
} from '#features/orders/draft/submit-order.ts'

interface AppsQuestion {
  appChanges: readonly OrderAppChange[]
  key: string
}

/** Undoes the change that made a contract. `onRefused`: the server says why not, so what is shown here is old. */
export function useUndoChange(
  contractId: number,
  { onUndone, onRefused }: { onUndone: (restoredOrder: OrderRow) => void; onRefused: () => void },
) {
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [question, setQuestion] = useState<AppsQuestion | null>(null)
  /** Of a call whose answer was lost: sent again under it, it is done once. */
  const [intent, setIntent] = useState<Intent | null>(null)

  async function send(body: { confirmKey?: string }): Promise<void> {
    setQuestion(null)
    setProblem(null)
    setIsBusy(true)
    const restoredOrder = intent === null ? null : await dispatch(fetchOrderOfIntent(intent))
    if (restoredOrder) {
      setIsBusy(false)
      return onUndone(restoredOrder)
    }
    const options = intent === null ? {} : { intent }
    const result = await dispatch(callEndpoint(undoChange, { params: { id: contractId }, body }, options))
    setIsBusy(false)
    if (result.kind === 'fresh') return onUndone(result.output as OrderRow)
    if (result.kind !== 'problem') return
    const question = parseQuestion(result.problem)
    if (question?.kind === 'apps') {
      setIntent(null)
      return setQuestion(question)
    }
    setProblem(result.problem)
    setIntent(isConnectionLost(result.problem) ? (result.intent ?? null) : null)
    if (parseUndoRefusal(result.problem)) onRefused()
  }

  return {
    isBusy,
    problem,
    /** Why the server refuses it; null: it does not. */
    refusal: problem && parseUndoRefusal(problem),
    question,
    undo: () => void send({}),
    agree: () => question && void send({ confirmKey: question.key }),
    decline: () => setQuestion(null),
  }
}

function parseUndoRefusal({ data }: Problem): UndoRefusal | null {
  const reason = (data as { why?: string } | null)?.why
  return undoRefusals.find((refusal) => refusal === reason) ?? null
}
