import { useCallback, useMemo, useState } from 'react'
import type { Result } from '#request/results.ts'
import { useDispatch } from '#state/hooks.ts'
import { type Status, idle } from '#state/request-status.ts'
import { useToday } from '#ui/page/business-day.ts'
import { type Asked, askQuote } from '#features/orders/quote/server-quote.ts'
import {
  isAsShown,
  type PriceData,
  quoteLocally,
  type LocalQuote,
  shownOf,
  type ServerQuote,
  type Wish,
} from '#features/orders/quote/local-quote.ts'

export interface Quoting {
  /** By the engine in this page, at each keystroke; null while something is missing or nobody knows the prices. */
  reckoned: LocalQuote | null
  /** The server's, of this very wish; null: not asked yet. */
  told: ServerQuote | null
  status: Status
  /** The server says something else than what is shown here. */
  differs: boolean
  /** Asks the server what this wish would cost. */
  ask: (body: Asked) => Promise<Result<ServerQuote>>
}

/** `wish` is the same object while nothing of it changes. */
export function useQuote(market: PriceData | null, wish: Wish | null): Quoting {
  const dispatch = useDispatch()
  const today = useToday(market?.zone)
  const reckoned = useMemo(() => (market && wish ? quoteLocally(market, wish, today) : null), [market, wish, today])
  const [answer, setAnswer] = useState<{ wish: Wish | null; told: ServerQuote | null; status: Status }>(unasked)
  const ask = useCallback(
    async (body: Asked) => {
      setAnswer({ wish, told: null, status: { kind: 'sending' } })
      const result = await dispatch(askQuote(body))
      const told = result.kind === 'fresh' ? result.output : null
      setAnswer({ wish, told, status: result.kind === 'problem' ? { kind: 'failed', problem: result.problem } : idle })
      return result
    },
    [dispatch, wish],
  )
  // What was asked about another wish says nothing about this one.
  const { told, status } = answer.wish === wish ? answer : unasked
  const shown = market && reckoned?.kind === 'figure' ? shownOf(reckoned.figure, market.list) : null
  return { reckoned, told, status, differs: told !== null && (shown === null || !isAsShown(shown, told)), ask }
}

const unasked = { wish: null, told: null, status: idle }
