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

/** Returns local and server quotes. `requestedOrder` must be the same object as long as its values are equal. */
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
    /** Calculated in the page at each keystroke. Null if the order is incomplete. */
    localQuote,
    localFigure,
    displayedFigure,
    /** The server's quote for exactly this order. Null if it was not requested yet. */
    serverQuote: result?.kind === 'fresh' ? result.output : null,
    setServerQuote: (serverQuote: ServerQuote) => setResult({ kind: 'fresh', output: serverQuote }),
    problem: result?.kind === 'problem' ? result.problem : null,
    /**
     * Works only online. Call it when the user leaves a step and not at each keystroke, because the server records a refusal in the audit
     * trail. Each call has a new intent: to a repeated intent, the server would return the stored figure.
     */
    requestQuote,
  }
}
export type QuoteState = ReturnType<typeof useQuote>
