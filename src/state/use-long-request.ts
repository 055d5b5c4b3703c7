import { useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { type Followed, isInDoubt } from '#state/long-request.ts'

/**
 * Sends one act that takes minutes, from a dialog that stays at least until the server has taken it. `onEnd` hears what it came to,
 * wherever its user is by then; after a reload the list of tasks tells it. `problem`: why the server has not taken it.
 */
export function useLongRequest<W>(
  send: (wish: W, intent: Intent) => AppThunk<Followed>,
  onEnd: (result: Followed['result'], wish: W, intent: Intent) => void,
) {
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  // The wish whose answer was lost goes under its intent again.
  const [doubt, setDoubt] = useState<{ intent: Intent; of: string } | null>(null)

  async function run(wish: W) {
    const of = JSON.stringify(wish)
    const intent = doubt?.of === of ? doubt.intent : crypto.randomUUID()
    setBusy(true)
    setProblem(null)
    const { begun, result } = await dispatch(send(wish, intent))
    setBusy(false)
    if (begun) return onEnd(result, wish, intent)
    if (result.kind !== 'problem') return
    setDoubt(isInDoubt(result.problem) ? { intent, of } : null)
    setProblem(result.problem)
  }
  return { busy, problem, run: (wish: W) => void run(wish) }
}
