import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { ClientType } from '#domain/access.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import type { WizardDraftState } from '#features/orders/draft/useWizardDraft.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import type { QuoteState } from '#features/orders/quote/useQuote.ts'
import type { AgreedQuote, WizardFormDraft } from '#features/orders/draft/wizard-draft.ts'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { codeTakenProblem, toOrderBody } from '#features/orders/draft/wizard-form.ts'
import {
  type OrderAppChange,
  fetchOrderOfIntent,
  getLostIntent,
  isConnectionLost,
  submitOrder,
  parseQuestion,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import {
  isSameFigure,
  type DisplayedFigure,
  type PriceData,
  type ServerQuote,
} from '#features/orders/quote/local-quote.ts'
import { fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'

export type SubmitStage =
  | { kind: 'idle' }
  | { kind: 'sending' }
  /** No connection. Nothing was ordered, unless `isUncertain`. Continues when the connection is back. */
  | { kind: 'waiting'; isUncertain: boolean }
  /** The server's figure is known. `displayedFigure` is the figure agreed to before, if it differs. */
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

interface SubmitOrderOptions {
  draftState: WizardDraftState
  type: ClientType
  priceData: PriceData
  quote: QuoteState
  findUnpaidOrder: (code: string) => UnpaidOrder | null
  onOrdered: (createdOrder: OrderRow) => void
  onRefused: (problems: readonly AnyFieldProblem[]) => void
}

type ComparisonInput = Pick<SubmitOrderOptions, 'type' | 'priceData' | 'quote'> & { draft: WizardFormDraft }

interface QuoteComparison {
  serverQuote: ServerQuote
  isSame: boolean
}

const toConfirmStage = (
  { serverQuote }: { serverQuote: ServerQuote },
  displayedQuote: AgreedQuote | null,
): SubmitStage => ({
  kind: 'confirm',
  serverQuote,
  displayedFigure: displayedQuote?.shown ?? null,
})

const toOrderedDraft = (draft: WizardFormDraft, { id, state }: OrderRow): WizardFormDraft => ({
  ...draft,
  step: state === 'unpaid' ? 2 : 3,
  agreed: null,
  ordered: Number(id),
  intent: null,
})

const toUncertainDraft = (
  draft: WizardFormDraft,
  intent: Intent | null,
  quote: AgreedQuote | null,
): WizardFormDraft => ({
  ...draft,
  intent,
  agreed: draft.agreed ?? quote,
})

/** Returns the question that the server asks before it accepts the order. Returns null if there is no question. */
function findQuestionStage(
  problem: Problem,
  serverQuote: ServerQuote | null,
  replaces: number | null,
  displayedFigure: DisplayedFigure | null,
): SubmitStage | null {
  const question = parseQuestion(problem)
  if (question?.kind === 'changed') return { kind: 'confirm', serverQuote: question.serverQuote, displayedFigure }
  if (!serverQuote) return null
  if (question?.kind === 'unpaid') return { kind: 'unpaid', serverQuote, unpaidOrder: question.unpaidOrder }
  if (question?.kind !== 'apps') return null
  return { kind: 'apps', serverQuote, replaces, appChanges: question.appChanges, key: question.key }
}

/** Runs `task` when `isDue` becomes true. Runs it again after a delay if it returns `'again'`. */
function useRepeated(isDue: boolean, task: (isCancelled: () => boolean) => Promise<'again' | 'done'>) {
  useEffect(() => {
    if (!isDue) return
    let isCancelled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async () => {
      const outcome = await task(() => isCancelled)
      if (outcome === 'again' && !isCancelled) timer = setTimeout(() => void run(), retryMs)
    }
    void run()
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [isDue, task])
}

function useQuoteComparison({ draft, type, priceData, quote }: ComparisonInput) {
  const { values, agreed: agreedQuote } = draft
  const { displayedFigure, requestQuote } = quote
  const { effective_date } = priceData.list
  const currentQuote = useMemo<AgreedQuote | null>(
    () => displayedFigure && { shown: displayedFigure, effective_date },
    [displayedFigure, effective_date],
  )
  const compareQuotes = useCallback(async (): Promise<QuoteComparison | Problem | null> => {
    const result = await requestQuote(toOrderBody(values, type))
    if (result.kind === 'problem') return result.problem
    if (result.kind !== 'fresh') return null
    const expectedQuote = agreedQuote ?? currentQuote
    const isSame = expectedQuote !== null && isSameFigure(expectedQuote.shown, result.output)
    return { serverQuote: result.output, isSame }
  }, [requestQuote, values, type, agreedQuote, currentQuote])
  return {
    /** Null if the displayed order cannot be priced. */
    currentQuote,
    compareQuotes,
  }
}

export function useSubmitOrder({
  draftState,
  type,
  priceData,
  quote,
  findUnpaidOrder,
  onOrdered,
  onRefused,
}: SubmitOrderOptions) {
  const { draft, updateDraft } = draftState
  const { values, agreed: agreedQuote, ordered: createdOrderId, intent } = draft
  const dispatch = useDispatch()
  const [stage, setStage] = useState<SubmitStage>({ kind: 'idle' })
  const { currentQuote, compareQuotes } = useQuoteComparison({ draft, type, priceData, quote })

  function handleRefusal(problem: Problem, serverQuote: ServerQuote | null, replaces: number | null) {
    const questionStage = findQuestionStage(problem, serverQuote, replaces, agreedQuote?.shown ?? serverQuote)
    if (questionStage) return setStage(questionStage)
    const fieldFaults = problem.code === 'DUP_CODE' ? [codeTakenProblem] : getFieldProblems(problem)
    if (fieldFaults.length > 0) {
      setStage({ kind: 'idle' })
      return onRefused(fieldFaults)
    }
    // The order to replace has been deleted in the meantime.
    if (problem.code === 'NOT_FOUND' && createdOrderId !== null)
      updateDraft((current) => ({ ...current, ordered: null }))
    setStage({ kind: 'failed', problem })
  }

  const acceptOrder = useLatestCallback((createdOrder: OrderRow) => {
    updateDraft((current) => toOrderedDraft(current, createdOrder))
    setStage({ kind: 'idle' })
    dispatch(ordersListSlice.rowCreated(createdOrder.id))
    onOrdered(createdOrder)
  })

  /**
   * Returns whether the order whose response was lost exists. If it were sent again, it would be refused, because it already uses its code
   * itself.
   */
  const acceptCreatedOrder = useCallback(async () => {
    const createdOrder = intent === null ? null : await dispatch(fetchOrderOfIntent(intent))
    if (createdOrder) acceptOrder(createdOrder)
    return createdOrder !== null
  }, [dispatch, intent, acceptOrder])

  async function agree(serverQuote: ServerQuote, consents: { replaces?: number | null; confirmKey?: string } = {}) {
    const unpaidOrder = findUnpaidOrder(values.code)
    // The order that this draft created earlier is replaced without asking again (D36).
    const replaces = consents.replaces ?? createdOrderId
    if (unpaidOrder && replaces !== unpaidOrder.id) return setStage({ kind: 'unpaid', serverQuote, unpaidOrder })
    setStage({ kind: 'sending' })
    const input = { body: toOrderBody(values, type), serverQuote, replaces, confirmKey: consents.confirmKey ?? null }
    const result = await dispatch(submitOrder(input, intent))
    if (result.kind === 'fresh' && result.output) return acceptOrder(result.output)
    if (result.kind !== 'problem') return setStage({ kind: 'idle' })
    const lostIntent = getLostIntent(result)
    if (!isConnectionLost(result.problem)) {
      updateDraft((current) => ({ ...current, intent: null }))
      return handleRefusal(result.problem, serverQuote, replaces)
    }
    // The order may exist already. Sending again with the same intent creates only one order.
    updateDraft((current) => toUncertainDraft(current, lostIntent, currentQuote))
    setStage({ kind: 'waiting', isUncertain: true })
  }

  /** Orders at the server's figure if it is equal to the displayed one. Otherwise asks for confirmation. */
  async function start() {
    if (await acceptCreatedOrder()) return
    setStage({ kind: 'sending' })
    const comparison = await compareQuotes()
    if (comparison === null) return setStage({ kind: 'idle' })
    if ('serverQuote' in comparison) {
      if (comparison.isSame) return await agree(comparison.serverQuote)
      return setStage(toConfirmStage(comparison, agreedQuote ?? currentQuote))
    }
    if (!isConnectionLost(comparison)) return handleRefusal(comparison, null, null)
    updateDraft((current) => ({ ...current, agreed: current.agreed ?? currentQuote }))
    setStage({ kind: 'waiting', isUncertain: false })
  }

  // When the connection is back, the server's figure is displayed. The user must still press the button.
  const isWaiting = stage.kind === 'waiting' || (stage.kind === 'idle' && agreedQuote !== null)
  const isConnectionBack = useConnection().networkState === 'online' && isWaiting && draft.step === 1
  const compareAgain = useCallback(
    async (isCancelled: () => boolean) => {
      if (await acceptCreatedOrder()) return 'done'
      const comparison = await compareQuotes()
      if (isCancelled() || comparison === null) return 'done'
      // The first request after the connection has come back may still fail.
      if (!('serverQuote' in comparison) && isConnectionLost(comparison)) return 'again'
      setStage(
        'serverQuote' in comparison
          ? toConfirmStage(comparison, comparison.isSame ? null : agreedQuote)
          : { kind: 'failed', problem: comparison },
      )
      return 'done'
    },
    [acceptCreatedOrder, compareQuotes, agreedQuote],
  )
  useRepeated(isConnectionBack, compareAgain)

  // The local figure was calculated from an old price list. With the new list it will be equal to the server's.
  const isFigureChanged = stage.kind === 'confirm' && stage.displayedFigure !== null
  useEffect(() => {
    if (isFigureChanged) void dispatch(fetchPriceInForce(type))
  }, [isFigureChanged, dispatch, type])

  const reset = useCallback(() => setStage((current) => (current.kind === 'idle' ? current : { kind: 'idle' })), [])
  return { stage, start, agree, reset }
}
export type SubmitOrderState = ReturnType<typeof useSubmitOrder>

const retryMs = 3_000
