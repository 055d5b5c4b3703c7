import { useState } from 'react'
import { changeContract, type OrderRow } from '#contract/orders.ts'
import type { InputOf, Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { useQuote } from '#features/orders/quote/useQuote.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import {
  fetchOrderOfIntent,
  isConnectionLost,
  type OrderQuestion,
  parseQuestion,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import {
  isSameFigure,
  type PriceData,
  toDisplayedFigure,
  type ServerQuote,
  type RequestedOrder,
} from '#features/orders/quote/local-quote.ts'

type ChangeBody = InputOf<typeof changeContract>['body']
/** What has to be agreed to before it is ordered. */
export type ChangeConsent = Exclude<OrderQuestion, { kind: 'changed' }>

interface SubmitChangeInput {
  priceData: PriceData
  /** The same object while nothing of it changes; null: it cannot be ordered as it stands. */
  requestedOrder: RequestedOrder | null
  body: ChangeBody
  /** What is known to wait to be paid: it would be replaced (D32). */
  unpaidOrder: UnpaidOrder | null
  onOrdered: (createdOrder: OrderRow) => void
}

interface QuoteResult {
  requestedOrder: RequestedOrder | null
  /** The server's figure in place of the one that it was asked for. */
  serverQuote: ServerQuote | null
  problem: Problem | null
  /** Of the wish whose answer was lost: sent again under it, it is made once. */
  intent: Intent | null
}
const noResult: QuoteResult = { requestedOrder: null, serverQuote: null, problem: null, intent: null }

interface Consents {
  replaces?: number
  confirmKey?: string
  /** The sum that may be lost. */
  confirm_discard?: string
}

/**
 * Orders a change or an extension. The server's figure is asked for first: only where it says what stands on the screen, or
 * after it has been shown, is it ordered, and by that figure (D17, D89).
 */
export function useSubmitChange({ priceData, requestedOrder, body, unpaidOrder, onOrdered }: SubmitChangeInput) {
  const dispatch = useDispatch()
  const quote = useQuote(priceData, requestedOrder)
  const [lastResult, setLastResult] = useState<QuoteResult>(noResult)
  const [givenConsents, setGivenConsents] = useState<Consents>({})
  const [consent, setConsent] = useState<ChangeConsent | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  // What was answered about another wish says nothing about this one.
  const result = lastResult.requestedOrder === requestedOrder ? lastResult : noResult
  const serverQuote = result.serverQuote ?? quote.serverQuote
  const localFigure = quote.localQuote?.kind === 'figure' ? quote.localQuote.figure : null
  const displayedFigure = localFigure && toDisplayedFigure(localFigure, priceData.list)

  async function order(consents: Consents): Promise<void> {
    setConsent(null)
    setGivenConsents(consents)
    setIsBusy(true)
    setLastResult({ ...result, requestedOrder, problem: null })
    const agreedServerQuote = serverQuote ?? (await fetchAgreedQuote())
    if (agreedServerQuote) await send(agreedServerQuote, consents)
    setIsBusy(false)
  }

  /** The server's figure if it is the one that stands here; null: it is shown now, or there is none. */
  async function fetchAgreedQuote(): Promise<ServerQuote | null> {
    const response = await quote.requestQuote(body)
    return response.kind === 'fresh' && displayedFigure && isSameFigure(displayedFigure, response.output)
      ? response.output
      : null
  }

  /** One whose answer was lost may stand by now: then it is what waits to be paid, and is not asked about as another one. */
  async function start(): Promise<void> {
    const createdOrder = result.intent === null ? null : await dispatch(fetchOrderOfIntent(result.intent))
    if (createdOrder) onOrdered(createdOrder)
    else await continueWith({})
  }

  /** Asks for each consent that is known to be needed, and orders once all are there. */
  async function continueWith(consents: Consents): Promise<void> {
    setGivenConsents(consents)
    const discardedAmount = (serverQuote ?? localFigure)?.discarded_amount ?? '0.00'
    if (unpaidOrder && consents.replaces === undefined) return setConsent({ kind: 'unpaid', unpaidOrder })
    if (discardedAmount !== '0.00' && consents.confirm_discard !== discardedAmount)
      return setConsent({ kind: 'discard', amount: discardedAmount })
    await order(consents)
  }

  async function send(quoteToSend: ServerQuote, consents: Consents): Promise<void> {
    const { quote_id, price_id, amount } = quoteToSend
    const callOptions = result.intent === null ? {} : { intent: result.intent }
    const response = await dispatch(
      callEndpoint(changeContract, { body: { ...body, ...consents, quote_id, price_id, amount } }, callOptions),
    )
    if (response.kind === 'fresh') return onOrdered(response.output as OrderRow)
    if (response.kind !== 'problem') return
    const { problem, intent = null } = response
    const question = parseQuestion(problem)
    if (question?.kind === 'changed')
      return setLastResult({ ...noResult, requestedOrder, serverQuote: question.serverQuote })
    if (question) return setConsent(question)
    setLastResult({
      requestedOrder,
      serverQuote: quoteToSend,
      problem,
      intent: isConnectionLost(problem) ? intent : null,
    })
  }

  return {
    /** The server's, once it has said one. */
    figure: serverQuote ?? localFigure,
    steps: serverQuote ? () => serverQuote.steps : (localFigure?.steps ?? null),
    localQuote: quote.localQuote,
    /** What stood here, where the server says another: both are shown before anything is ordered. */
    previousFigure:
      serverQuote && displayedFigure && !isSameFigure(displayedFigure, serverQuote) ? displayedFigure : null,
    isBusy,
    problem: result.problem ?? getStatusProblem(quote.status),
    consent,
    start: () => void start(),
    agree: () => {
      if (consent?.kind === 'unpaid') void continueWith({ ...givenConsents, replaces: consent.unpaidOrder.id })
      if (consent?.kind === 'apps') void order({ ...givenConsents, confirmKey: consent.key })
      if (consent?.kind === 'discard') void order({ ...givenConsents, confirm_discard: consent.amount })
    },
    decline: () => setConsent(null),
  }
}
export type SubmitChangeState = ReturnType<typeof useSubmitChange>
