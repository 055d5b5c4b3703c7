import { useRef, useState } from 'react'
import { orderBackup, type PdbType } from '#contract/backups.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { isOutcomeUnknown, useAction } from '#state/use-action.ts'
import type { BackupFeeStep, BackupQuote, SubscriptionTerms } from '#features/backups/backup-quote.ts'

interface OrderingOptions {
  serviceId: number
  type: PdbType
  /** Null if the typed period is not valid. */
  terms: SubscriptionTerms | null
  quote: BackupQuote | null
  priceId: number
  onOrdered: (order: { id: number; pay_amount: string }) => void
  /** Called if the server has another price, because the cached price list is then outdated. */
  onPriceOutdated: () => void
}

interface ServerQuote {
  priceId: number
  quote: BackupQuote
}

interface OrderRefusal {
  termsKey: string
  serverQuote: ServerQuote | null
  /** Whether the problem is shown. False if only the price differs, because then the new amount is shown instead. */
  hasProblem: boolean
}

const noRefusal = { serverQuote: null, hasProblem: false }

/** Orders a subscription for the displayed amount. If the server's amount differs, both are shown before it is ordered (D17, D89). */
export function useOrdering({ serviceId, type, terms, quote, priceId, onOrdered, onPriceOutdated }: OrderingOptions) {
  const { isBusy, problem, run } = useAction(orderBackup)
  const termsKey = JSON.stringify({ type, terms })
  const [lastRefusal, setLastRefusal] = useState<OrderRefusal | null>(null)
  // A refusal is ignored once the terms have changed.
  const { serverQuote, hasProblem } = lastRefusal?.termsKey === termsKey ? lastRefusal : noRefusal
  const displayedQuote = serverQuote ?? (quote && { priceId, quote })
  // An order whose response was lost. The same terms are sent again under the same intent, so that the backup is ordered only once.
  const lostOrder = useRef<{ termsKey: string; intent: Intent } | null>(null)

  async function start() {
    if (!terms || !displayedQuote || isBusy) return
    const { pay_amount } = displayedQuote.quote
    const body = {
      service_id: serviceId,
      pdb_type: type,
      period: terms.period,
      period_type: terms.unit,
      price_id: displayedQuote.priceId,
      pay_amount,
    }
    const intent = lostOrder.current?.termsKey === termsKey ? lostOrder.current.intent : crypto.randomUUID()
    const result = await run({ body }, { intent })
    const isLost = result.kind === 'problem' && isOutcomeUnknown(result.problem)
    lostOrder.current = isLost ? { termsKey, intent } : null
    if (result.kind === 'fresh') return onOrdered({ id: result.output.id, pay_amount })
    if (result.kind !== 'problem') return
    if (result.problem.code !== 'QUOTE_CHANGED') return setLastRefusal({ termsKey, serverQuote, hasProblem: true })
    setLastRefusal({ termsKey, serverQuote: parseServerQuote(result.problem, quote), hasProblem: false })
    onPriceOutdated()
  }

  return {
    /** The quote that will be ordered. If the server has refused the device's quote, it is the server's. */
    quote: displayedQuote && displayedQuote.quote,
    isBusy,
    problem: hasProblem ? problem : null,
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

/** Returns null if the problem contains no quote. */
function parseServerQuote({ data }: Problem, quote: BackupQuote | null): ServerQuote | null {
  const { now: currentQuote } = (data ?? {}) as { now?: CurrentQuote }
  if (!currentQuote || !quote) return null
  const { price_id: priceId, period_start: start, period_end: end, steps, ...amounts } = currentQuote
  const monthCount = Number(steps.find(({ code }) => code === 'months')?.values['months'] ?? quote.months)
  return { priceId, quote: { ...quote, ...amounts, start, end, months: monthCount, steps: () => steps } }
}
