import { useCallback, useEffect, useState } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'
import { useLatestCallback } from '#features/orders/quote/useLatestCallback.ts'
import type { QuoteState } from '#features/orders/quote/useQuote.ts'
import type { AgreedQuote } from '#features/orders/draft/wizard-draft.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { toOrderBody } from '#features/orders/draft/wizard-form.ts'
import {
  type OrderAppChange,
  fetchOrderOfIntent,
  isConnectionLost,
  submitOrder,
  parseQuestion,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import { isSameFigure, type DisplayedFigure, type ServerQuote } from '#features/orders/quote/local-quote.ts'
import { fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'

/** Where the way from the choice of modules to an order stands. */
export type SubmitStage =
  | { kind: 'idle' }
  | { kind: 'sending' }
  /** No line: nothing was ordered, unless `isUncertain`; the server is asked when the line is back. */
  | { kind: 'waiting'; isUncertain: boolean }
  /** The server has said its figure; `shown`: what was agreed to before, where that is another one. */
  | { kind: 'confirm'; serverQuote: ServerQuote; displayedFigure: DisplayedFigure | null }
  | { kind: 'unpaid'; serverQuote: ServerQuote; unpaidOrder: UnpaidOrder }
  | {
      kind: 'apps'
      serverQuote: ServerQuote
      replaces: number | null
      appChanges: readonly OrderAppChange[]
      key: string
    }
  | { kind: 'failed'; problem: Problem }

export interface SubmitOrderControls {
  stage: SubmitStage
  /** Asks for the server's figure, and orders by it where it is the one that stands here. */
  start: () => Promise<void>
  /** The user's yes. */
  agree: (serverQuote: ServerQuote, consents?: { replaces?: number | null; confirmKey?: string }) => Promise<void>
  reset: () => void
}

interface SubmitOrderOptions {
  draftState: WizardDraftState
  type: ClientType
  quote: QuoteState
  /** What stands on the screen now; null: it has no price. */
  currentQuote: AgreedQuote | null
  /** The unpaid order that holds the code, as this device knows it. */
  findUnpaidOrder: (code: string) => UnpaidOrder | null
  onOrdered: (createdOrder: OrderRow) => void
  /** The server finds fields wrong. */
  onRefused: (problems: readonly AnyFieldProblem[]) => void
}

export function useSubmitOrder({
  draftState,
  type,
  quote,
  currentQuote,
  findUnpaidOrder,
  onOrdered,
  onRefused,
}: SubmitOrderOptions): SubmitOrderControls {
  const { draft, updateDraft } = draftState
  const { values, agreed: agreedQuote, ordered: createdOrderId, intent } = draft
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [stage, setStage] = useState<SubmitStage>({ kind: 'idle' })
  const { requestQuote } = quote

  function handleRefusal(problem: Problem, serverQuote: ServerQuote | null, replaces: number | null) {
    const question = parseQuestion(problem)
    if (question?.kind === 'changed')
      return setStage({
        kind: 'confirm',
        serverQuote: question.serverQuote,
        displayedFigure: agreedQuote?.shown ?? serverQuote,
      })
    if (question?.kind === 'unpaid' && serverQuote)
      return setStage({ kind: 'unpaid', serverQuote, unpaidOrder: question.unpaidOrder })
    if (question?.kind === 'apps' && serverQuote)
      return setStage({ kind: 'apps', serverQuote, replaces, appChanges: question.appChanges, key: question.key })
    const fieldFaults = problem.code === 'DUP_CODE' ? [codeTakenProblem] : getFieldProblems(problem)
    if (fieldFaults.length > 0) {
      setStage({ kind: 'idle' })
      return onRefused(fieldFaults)
    }
    // What was to be replaced is gone by now: nothing stands in the way any more.
    if (problem.code === 'NOT_FOUND' && createdOrderId !== null)
      updateDraft((current) => ({ ...current, ordered: null }))
    setStage({ kind: 'failed', problem })
  }

  const acceptOrder = useLatestCallback((createdOrder: OrderRow) => {
    const id = Number(createdOrder.id)
    updateDraft((current) => ({
      ...current,
      step: createdOrder.state === 'unpaid' ? 2 : 3,
      agreed: null,
      ordered: id,
      intent: null,
    }))
    setStage({ kind: 'idle' })
    dispatch(ordersListSlice.rowCreated(createdOrder.id))
    onOrdered(createdOrder)
  })

  /** True: the order whose answer was lost had been made; who is asked again would be asked to replace their own. */
  const acceptCreatedOrder = useCallback(async () => {
    const createdOrder = intent === null ? null : await dispatch(fetchOrderOfIntent(intent))
    if (createdOrder) acceptOrder(createdOrder)
    return createdOrder !== null
  }, [dispatch, intent, acceptOrder])

  const agree: SubmitOrderControls['agree'] = async (serverQuote, consents = {}) => {
    const unpaidOrder = findUnpaidOrder(values.code)
    // What was made of this very draft is replaced without another question (D36).
    const replaces = consents.replaces ?? createdOrderId
    if (unpaidOrder && replaces !== unpaidOrder.id) return setStage({ kind: 'unpaid', serverQuote, unpaidOrder })
    setStage({ kind: 'sending' })
    const input = { body: toOrderBody(values, type), serverQuote, replaces, confirmKey: consents.confirmKey ?? null }
    const result = await dispatch(submitOrder(input, intent))
    if (result.kind === 'fresh' && result.output) return acceptOrder(result.output)
    if (result.kind !== 'problem') return setStage({ kind: 'idle' })
    const { problem, intent: lostIntent = null } = result
    // Whether it was made nobody knows: asked again under the same wish it is made once.
    const isLost = isConnectionLost(problem)
    updateDraft((current) => ({
      ...current,
      intent: isLost ? lostIntent : null,
      agreed: isLost ? (current.agreed ?? currentQuote) : current.agreed,
    }))
    if (isLost) return setStage({ kind: 'waiting', isUncertain: true })
    handleRefusal(problem, serverQuote, replaces)
  }

  /** The server's figure; ordered by at once where nobody has to look at it first. */
  const compareQuotes = useCallback(
    async (isUserAction: boolean): Promise<{ serverQuote: ServerQuote; isSame: boolean } | Problem | null> => {
      if (isUserAction) setStage({ kind: 'sending' })
      const result = await requestQuote(toOrderBody(values, type))
      if (result.kind === 'problem') return result.problem
      if (result.kind !== 'fresh') return null
      const expectedQuote = agreedQuote ?? currentQuote
      return {
        serverQuote: result.output,
        isSame: expectedQuote !== null && isSameFigure(expectedQuote.shown, result.output),
      }
    },
    [requestQuote, values, type, agreedQuote, currentQuote],
  )

  async function start() {
    if (await acceptCreatedOrder()) return
    const comparison = await compareQuotes(true)
    if (comparison === null) return setStage({ kind: 'idle' })
    if ('serverQuote' in comparison) {
      if (comparison.isSame) return await agree(comparison.serverQuote)
      return setStage({
        kind: 'confirm',
        serverQuote: comparison.serverQuote,
        displayedFigure: (agreedQuote ?? currentQuote)?.shown ?? null,
      })
    }
    if (!isConnectionLost(comparison)) return handleRefusal(comparison, null, null)
    updateDraft((current) => ({ ...current, agreed: current.agreed ?? currentQuote }))
    setStage({ kind: 'waiting', isUncertain: false })
  }

  // The line is back: the server is asked by itself, and what it says is shown. Ordering takes a press.
  const isWaiting = stage.kind === 'waiting' || (stage.kind === 'idle' && agreedQuote !== null)
  const isConnectionBack = connection === 'online' && isWaiting && draft.step === 1
  useEffect(() => {
    if (!isConnectionBack) return
    let isActive = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const compareAgain = async () => {
      if (await acceptCreatedOrder()) return
      const comparison = await compareQuotes(false)
      if (!isActive || comparison === null) return
      if ('serverQuote' in comparison)
        setStage({
          kind: 'confirm',
          serverQuote: comparison.serverQuote,
          displayedFigure: comparison.isSame ? null : (agreedQuote?.shown ?? null),
        })
      // The first question over a line that is only coming may be lost, and another's answer say that it is there.
      else if (isConnectionLost(comparison)) timer = setTimeout(() => void compareAgain(), retryMs)
      else setStage({ kind: 'failed', problem: comparison })
    }
    void compareAgain()
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [isConnectionBack, acceptCreatedOrder, compareQuotes, agreedQuote])

  // The figure beside the form comes from prices that are past: with the new ones it is the server's too.
  const isFigureChanged = stage.kind === 'confirm' && stage.displayedFigure !== null
  useEffect(() => {
    if (isFigureChanged) void dispatch(fetchPriceInForce(type))
  }, [isFigureChanged, dispatch, type])

  const reset = useCallback(() => setStage((current) => (current.kind === 'idle' ? current : { kind: 'idle' })), [])
  return { stage, start, agree, reset }
}

const retryMs = 3_000
const codeTakenProblem: AnyFieldProblem = { field: 'code', code: 'DUPLICATE' }
