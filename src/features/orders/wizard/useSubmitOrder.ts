import { useCallback, useEffect, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { fieldProblems, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import type { WizardDraft } from '#features/orders/draft/useWizardDraft.ts'
import { useLatest } from '#features/orders/quote/useLatest.ts'
import type { Quoting } from '#features/orders/quote/useQuote.ts'
import type { Agreed } from '#features/orders/draft/wizard-draft.ts'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import { bodyOf } from '#features/orders/draft/wizard-form.ts'
import {
  type AppChange,
  askMade,
  isConnectionLost,
  order,
  questionOf,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import { isAsShown, type Shown, type ServerQuote } from '#features/orders/quote/local-quote.ts'
import { fetchPrice, ordersList } from '#features/orders/slice.ts'

/** Where the way from the choice of modules to an order stands. */
export type SubmitState =
  | { kind: 'idle' }
  | { kind: 'sending' }
  /** No line: nothing was ordered, unless `unsure`; the server is asked when the line is back. */
  | { kind: 'waiting'; unsure: boolean }
  /** The server has said its figure; `shown`: what was agreed to before, where that is another one. */
  | { kind: 'confirm'; told: ServerQuote; shown: Shown | null }
  | { kind: 'unpaid'; told: ServerQuote; unpaid: UnpaidOrder }
  | { kind: 'apps'; told: ServerQuote; replaces: number | null; info: readonly AppChange[]; key: string }
  | { kind: 'failed'; problem: Problem }

export interface OrderingWay {
  stage: SubmitState
  /** Asks for the server's figure, and orders by it where it is the one that stands here. */
  begin: () => Promise<void>
  /** The user's yes. */
  agree: (told: ServerQuote, yes?: { replaces?: number | null; confirmKey?: string }) => Promise<void>
  calm: () => void
}

interface About {
  kept: WizardDraft
  type: ClientType
  quote: Quoting
  /** What stands on the screen now; null: it has no price. */
  here: Agreed | null
  /** The unpaid order that holds the code, as this device knows it. */
  unpaidWith: (code: string) => UnpaidOrder | null
  onOrdered: (made: OrderRow) => void
  /** The server finds fields wrong. */
  onRefused: (problems: readonly AnyProblem[]) => void
}

export function useOrdering({ kept, type, quote, here, unpaidWith, onOrdered, onRefused }: About): OrderingWay {
  const { draft, change } = kept
  const { values, agreed, ordered, intent } = draft
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [stage, setStage] = useState<SubmitState>({ kind: 'idle' })
  const { ask } = quote

  function refused(problem: Problem, told: ServerQuote | null, replaces: number | null) {
    const question = questionOf(problem)
    if (question?.kind === 'changed')
      return setStage({ kind: 'confirm', told: question.now, shown: agreed?.shown ?? told })
    if (question?.kind === 'unpaid' && told) return setStage({ kind: 'unpaid', told, unpaid: question.unpaid })
    if (question?.kind === 'apps' && told)
      return setStage({ kind: 'apps', told, replaces, info: question.info, key: question.key })
    const found = problem.code === 'DUP_CODE' ? [occupied] : fieldProblems(problem)
    if (found.length > 0) {
      setStage({ kind: 'idle' })
      return onRefused(found)
    }
    // What was to be replaced is gone by now: nothing stands in the way any more.
    if (problem.code === 'NOT_FOUND' && ordered !== null) change((now) => ({ ...now, ordered: null }))
    setStage({ kind: 'failed', problem })
  }

  const take = useLatest((made: OrderRow) => {
    const id = Number(made.id)
    change((now) => ({ ...now, step: made.state === 'unpaid' ? 2 : 3, agreed: null, ordered: id, intent: null }))
    setStage({ kind: 'idle' })
    dispatch(ordersList.rowCreated(made.id))
    onOrdered(made)
  })

  /** True: the order whose answer was lost had been made; who is asked again would be asked to replace their own. */
  const findMade = useCallback(async () => {
    const made = intent === null ? null : await dispatch(askMade(intent))
    if (made) take(made)
    return made !== null
  }, [dispatch, intent, take])

  const agree: OrderingWay['agree'] = async (told, yes = {}) => {
    const known = unpaidWith(values.code)
    // What was made of this very draft is replaced without another question (D36).
    const replaces = yes.replaces ?? ordered
    if (known && replaces !== known.id) return setStage({ kind: 'unpaid', told, unpaid: known })
    setStage({ kind: 'sending' })
    const asked = { body: bodyOf(values, type), told, replaces, confirmKey: yes.confirmKey ?? null }
    const result = await dispatch(order(asked, intent))
    if (result.kind === 'fresh' && result.output) return take(result.output)
    if (result.kind !== 'problem') return setStage({ kind: 'idle' })
    const { problem, intent: wish = null } = result
    // Whether it was made nobody knows: asked again under the same wish it is made once.
    const isLost = isConnectionLost(problem)
    change((now) => ({ ...now, intent: isLost ? wish : null, agreed: isLost ? (now.agreed ?? here) : now.agreed }))
    if (isLost) return setStage({ kind: 'waiting', unsure: true })
    refused(problem, told, replaces)
  }

  /** The server's figure; ordered by at once where nobody has to look at it first. */
  const compare = useCallback(
    async (isAsked: boolean): Promise<{ told: ServerQuote; isSame: boolean } | Problem | null> => {
      if (isAsked) setStage({ kind: 'sending' })
      const result = await ask(bodyOf(values, type))
      if (result.kind === 'problem') return result.problem
      if (result.kind !== 'fresh') return null
      const shown = agreed ?? here
      return { told: result.output, isSame: shown !== null && isAsShown(shown.shown, result.output) }
    },
    [ask, values, type, agreed, here],
  )

  async function begin() {
    if (await findMade()) return
    const found = await compare(true)
    if (found === null) return setStage({ kind: 'idle' })
    if ('told' in found) {
      if (found.isSame) return await agree(found.told)
      return setStage({ kind: 'confirm', told: found.told, shown: (agreed ?? here)?.shown ?? null })
    }
    if (!isConnectionLost(found)) return refused(found, null, null)
    change((now) => ({ ...now, agreed: now.agreed ?? here }))
    setStage({ kind: 'waiting', unsure: false })
  }

  // The line is back: the server is asked by itself, and what it says is shown. Ordering takes a press.
  const isWaiting = stage.kind === 'waiting' || (stage.kind === 'idle' && agreed !== null)
  const isBack = line === 'online' && isWaiting && draft.step === 1
  useEffect(() => {
    if (!isBack) return
    let stands = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      if (await findMade()) return
      const found = await compare(false)
      if (!stands || found === null) return
      if ('told' in found)
        setStage({ kind: 'confirm', told: found.told, shown: found.isSame ? null : (agreed?.shown ?? null) })
      // The first question over a line that is only coming may be lost, and another's answer say that it is there.
      else if (isConnectionLost(found)) timer = setTimeout(() => void look(), lookAgainMs)
      else setStage({ kind: 'failed', problem: found })
    }
    void look()
    return () => {
      stands = false
      clearTimeout(timer)
    }
  }, [isBack, findMade, compare, agreed])

  // The figure beside the form comes from prices that are past: with the new ones it is the server's too.
  const isAnother = stage.kind === 'confirm' && stage.shown !== null
  useEffect(() => {
    if (isAnother) void dispatch(fetchPrice(type))
  }, [isAnother, dispatch, type])

  const calm = useCallback(() => setStage((now) => (now.kind === 'idle' ? now : { kind: 'idle' })), [])
  return { stage, begin, agree, calm }
}

const lookAgainMs = 3_000
const occupied: AnyProblem = { field: 'code', code: 'DUPLICATE' }
