import { useState } from 'react'
import type { PdbType } from '#contract/backups.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { useDispatch } from '#state/use-store.ts'
import type { BackupFeeStep, BackupQuote, SubscriptionTerms } from '#features/backups/backup-quote.ts'
import { isOutcomeUnknown } from '#state/long-request.ts'
import { submitBackupOrder } from '#features/backups/slice.ts'

interface OrderingOptions {
  serviceId: number
  type: PdbType
  /** Null: it cannot be ordered as it stands. */
  terms: SubscriptionTerms | null
  quote: BackupQuote | null
  /** Of the price list by which the figure is. */
  priceId: number
  onOrdered: (order: { id: number; pay_amount: string }) => void
  /** The server sells it for another price: what this device has of prices is old. */
  onPriceOutdated: () => void
}

/** The server's figure in place of the one that it was asked for, by the list of that id. */
interface ServerQuote {
  priceId: number
  quote: BackupQuote
}

interface OrderingState {
  termsKey: string
  serverQuote: ServerQuote | null
  problem: Problem | null
  /** Of the wish whose answer was lost: sent again under it, it is made once. */
  intent: Intent | null
}

/** Orders a subscription by the amount that stands on the screen; where the server says another, both are shown first (D17, D89). */
export function useOrdering({ serviceId, type, terms, quote, priceId, onOrdered, onPriceOutdated }: OrderingOptions) {
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const termsKey = JSON.stringify({ type, terms })
  const initialState: OrderingState = { termsKey, serverQuote: null, problem: null, intent: null }
  const [lastState, setLastState] = useState<OrderingState>(initialState)
  // What was answered about another wish says nothing about this one.
  const currentState = lastState.termsKey === termsKey ? lastState : initialState
  const displayedQuote: ServerQuote | null = currentState.serverQuote ?? (quote && { priceId, quote })

  async function start() {
    if (!terms || !displayedQuote || isBusy) return
    setIsBusy(true)
    setLastState({ ...currentState, problem: null })
    const intent = currentState.intent ?? crypto.randomUUID()
    const { pay_amount } = displayedQuote.quote
    const body = {
      service_id: serviceId,
      pdb_type: type,
      period: terms.period,
      period_type: terms.unit,
      price_id: displayedQuote.priceId,
      pay_amount,
    }
    const result = await dispatch(submitBackupOrder(body, intent))
    setIsBusy(false)
    if (result.kind === 'fresh') return onOrdered({ id: result.output.id, pay_amount })
    if (result.kind !== 'problem') return
    const { problem } = result
    if (problem.code !== 'QUOTE_CHANGED')
      return setLastState({ ...currentState, problem, intent: isOutcomeUnknown(problem) ? intent : null })
    setLastState({ ...initialState, serverQuote: parseServerQuote(problem, quote) })
    onPriceOutdated()
  }

  return {
    /** As it will be ordered: the server's, once it has said another. */
    quote: displayedQuote?.quote ?? null,
    isBusy,
    problem: currentState.problem,
    start: () => void start(),
  }
}

interface CurrentQuote {
  price_id: number
  discount: string
  amount: string
  pay_amount: string
  period_start: PlainDate
  period_end: PlainDate
  steps: readonly BackupFeeStep[]
}

/** Null: it does not say which. */
function parseServerQuote({ data }: Problem, quote: BackupQuote | null): ServerQuote | null {
  const { now: currentQuote } = (data ?? {}) as { now?: CurrentQuote }
  if (!currentQuote || !quote) return null
  const { price_id: priceId, period_start: start, period_end: end, steps, ...amounts } = currentQuote
  const monthCount = Number(steps.find(({ code }) => code === 'months')?.values['months'] ?? quote.months)
  return { priceId, quote: { ...quote, ...amounts, start, end, months: monthCount, steps: () => steps } }
}
