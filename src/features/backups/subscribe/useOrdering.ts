import { useState } from 'react'
import type { BackupType } from '#contract/backups.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { PlainDate } from '#domain/time.ts'
import { useDispatch } from '#state/hooks.ts'
import type { AnyStep, BackupFigure, Terms } from '#features/backups/backup-quote.ts'
import { isInDoubt } from '#state/long-request.ts'
import { order } from '#features/backups/slice.ts'

interface Given {
  serviceId: number
  type: BackupType
  /** Null: it cannot be ordered as it stands. */
  terms: Terms | null
  figure: BackupFigure | null
  /** Of the price list by which the figure is. */
  priceId: number
  onOrdered: (made: { id: number; pay_amount: string }) => void
  /** The server sells it for another price: what this device has of prices is old. */
  onOld: () => void
}

/** The server's figure in place of the one that it was asked for, by the list of that id. */
interface Told {
  priceId: number
  figure: BackupFigure
}

interface Answer {
  of: string
  told: Told | null
  problem: Problem | null
  /** Of the wish whose answer was lost: sent again under it, it is made once. */
  intent: Intent | null
}

/** Orders a subscription by the amount that stands on the screen; where the server says another, both are shown first (D17, D89). */
export function useOrdering({ serviceId, type, terms, figure, priceId, onOrdered, onOld }: Given) {
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const of = JSON.stringify({ type, terms })
  const unasked: Answer = { of, told: null, problem: null, intent: null }
  const [last, setLast] = useState<Answer>(unasked)
  // What was answered about another wish says nothing about this one.
  const answer = last.of === of ? last : unasked
  const shown: Told | null = answer.told ?? (figure && { priceId, figure })

  async function start() {
    if (!terms || !shown || busy) return
    setBusy(true)
    setLast({ ...answer, problem: null })
    const intent = answer.intent ?? crypto.randomUUID()
    const { pay_amount } = shown.figure
    const body = {
      service_id: serviceId,
      pdb_type: type,
      period: terms.period,
      period_type: terms.unit,
      price_id: shown.priceId,
      pay_amount,
    }
    const result = await dispatch(order(body, intent))
    setBusy(false)
    if (result.kind === 'fresh') return onOrdered({ id: result.output.id, pay_amount })
    if (result.kind !== 'problem') return
    const { problem } = result
    if (problem.code !== 'QUOTE_CHANGED')
      return setLast({ ...answer, problem, intent: isInDoubt(problem) ? intent : null })
    setLast({ ...unasked, told: toldBy(problem, figure) })
    onOld()
  }

  return {
    /** As it will be ordered: the server's, once it has said another. */
    figure: shown?.figure ?? null,
    busy,
    problem: answer.problem,
    start: () => void start(),
  }
}

interface Now {
  price_id: number
  discount: string
  amount: string
  pay_amount: string
  period_start: PlainDate
  period_end: PlainDate
  steps: readonly AnyStep[]
}

/** Null: it does not say which. */
function toldBy({ data }: Problem, asked: BackupFigure | null): Told | null {
  const { now } = (data ?? {}) as { now?: Now }
  if (!now || !asked) return null
  const { price_id: priceId, period_start: start, period_end: end, steps, ...amounts } = now
  const months = Number(steps.find(({ code }) => code === 'months')?.values['months'] ?? asked.months)
  return { priceId, figure: { ...asked, ...amounts, start, end, months, steps: () => steps } }
}
