import { useCallback, useMemo } from 'react'
import type { InputOf } from '#contract/endpoint.ts'
import { calculate } from '#contract/orders.ts'
import type { CallResult } from '#request/call-results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { useToday } from '#ui/page/use-today.ts'
import { useStateOf } from '#features/orders/quote/useStateOf.ts'
import {
  type PriceData,
  quoteLocally,
  toDisplayedFigure,
  type ServerQuote,
  type RequestedOrder,
} from '#features/orders/quote/local-quote.ts'

type QuoteBody = InputOf<typeof calculate>['body']

/** `requestedOrder` is the same object while nothing of it changes. */
export function useQuote(priceData: PriceData, requestedOrder: RequestedOrder | null) {
  const dispatch = useDispatch()
  const today = useToday(priceData.timeZone)
  const localQuote = useMemo(
    () => requestedOrder && quoteLocally(priceData, requestedOrder, today),
    [priceData, requestedOrder, today],
  )
  const localFigure = localQuote?.kind === 'figure' ? localQuote.figure : null
  const displayedFigure = useMemo(
    () => localFigure && toDisplayedFigure(localFigure, priceData.list),
    [localFigure, priceData.list],
  )
  const [result, setResult] = useStateOf<RequestedOrder | null, CallResult<ServerQuote> | null>(requestedOrder, null)
  const requestQuote = useCallback(
    async (body: QuoteBody) => {
      setResult(null)
      const newResult = await dispatch(callEndpoint(calculate, { body }))
      setResult(newResult)
      return newResult
    },
    [dispatch, setResult],
  )
  return {
    /** Calculated in this page at each keystroke; null: something is missing. */
    localQuote,
    localFigure,
    /** What the user sees of the local figure. */
    displayedFigure,
    /** The server's, of this very order; null: it was not requested yet. */
    serverQuote: result?.kind === 'fresh' ? result.output : null,
    setServerQuote: (serverQuote: ServerQuote) => setResult({ kind: 'fresh', output: serverQuote }),
    /** Why the server has no quote for this order. */
    problem: result?.kind === 'problem' ? result.problem : null,
    /**
     * Online only. The server records a refusal in the audit trail, so this is called when a step is left, not at each keystroke. Each
     * call has an intent of its own: under a used one the server would repeat its stored figure.
     */
    requestQuote,
  }
}
export type QuoteState = ReturnType<typeof useQuote>
