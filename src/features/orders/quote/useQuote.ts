import { useCallback, useMemo, useState } from 'react'
import type { CallResult } from '#request/call-results.ts'
import { useDispatch } from '#state/use-store.ts'
import { type RequestStatus, idleStatus } from '#state/request-status.ts'
import { useToday } from '#ui/page/use-today.ts'
import { type QuoteBody, fetchServerQuote } from '#features/orders/quote/server-quote.ts'
import {
  isSameFigure,
  type PriceData,
  quoteLocally,
  type LocalQuote,
  toDisplayedFigure,
  type ServerQuote,
  type RequestedOrder,
} from '#features/orders/quote/local-quote.ts'

export interface QuoteState {
  /** By the engine in this page, at each keystroke; null while something is missing or nobody knows the prices. */
  localQuote: LocalQuote | null
  /** The server's, of this very wish; null: not asked yet. */
  serverQuote: ServerQuote | null
  status: RequestStatus
  /** The server says something else than what is shown here. */
  isDifferent: boolean
  /** Asks the server what this wish would cost. */
  requestQuote: (body: QuoteBody) => Promise<CallResult<ServerQuote>>
}

/** `requestedOrder` is the same object while nothing of it changes. */
export function useQuote(priceData: PriceData | null, requestedOrder: RequestedOrder | null): QuoteState {
  const dispatch = useDispatch()
  const today = useToday(priceData?.timeZone)
  const localQuote = useMemo(
    () => (priceData && requestedOrder ? quoteLocally(priceData, requestedOrder, today) : null),
    [priceData, requestedOrder, today],
  )
  const [serverResult, setServerResult] = useState<{
    requestedOrder: RequestedOrder | null
    serverQuote: ServerQuote | null
    status: RequestStatus
  }>(noServerResult)
  const requestQuote = useCallback(
    async (body: QuoteBody) => {
      setServerResult({ requestedOrder, serverQuote: null, status: { kind: 'sending' } })
      const result = await dispatch(fetchServerQuote(body))
      const newServerQuote = result.kind === 'fresh' ? result.output : null
      setServerResult({
        requestedOrder,
        serverQuote: newServerQuote,
        status: result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : idleStatus,
      })
      return result
    },
    [dispatch, requestedOrder],
  )
  // What was asked about another wish says nothing about this one.
  const { serverQuote, status } = serverResult.requestedOrder === requestedOrder ? serverResult : noServerResult
  const displayedFigure =
    priceData && localQuote?.kind === 'figure' ? toDisplayedFigure(localQuote.figure, priceData.list) : null
  return {
    localQuote,
    serverQuote,
    status,
    isDifferent: serverQuote !== null && (displayedFigure === null || !isSameFigure(displayedFigure, serverQuote)),
    requestQuote,
  }
}

const noServerResult = { requestedOrder: null, serverQuote: null, status: idleStatus }
