import { useState } from 'react'
import { changeContract, type OrderRow } from '#contract/orders.ts'
import type { InputOf, Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { problemOf } from '#state/request-status.ts'
import { useQuote } from '#features/orders/quote/useQuote.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import {
  askMade,
  isConnectionLost,
  type Question,
  questionOf,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import { isAsShown, type PriceData, shownOf, type ServerQuote, type Wish } from '#features/orders/quote/local-quote.ts'

type Body = InputOf<typeof changeContract>['body']
/** What has to be agreed to before it is ordered. */
export type Consent = Exclude<Question, { kind: 'changed' }>

interface Given {
  market: PriceData
  /** The same object while nothing of it changes; null: it cannot be ordered as it stands. */
  wish: Wish | null
  body: Body
  /** What is known to wait to be paid: it would be replaced (D32). */
  unpaid: UnpaidOrder | null
  onOrdered: (made: OrderRow) => void
}

interface Answer {
  wish: Wish | null
  /** The server's figure in place of the one that it was asked for. */
  told: ServerQuote | null
  problem: Problem | null
  /** Of the wish whose answer was lost: sent again under it, it is made once. */
  intent: Intent | null
}
const unasked: Answer = { wish: null, told: null, problem: null, intent: null }

interface Yes {
  replaces?: number
  confirmKey?: string
  /** The sum that may be lost. */
  confirm_discard?: string
}

/**
 * Orders a change or an extension. The server's figure is asked for first: only where it says what stands on the screen, or
 * after it has been shown, is it ordered, and by that figure (D17, D89).
 */
export function useChanging({ market, wish, body, unpaid, onOrdered }: Given) {
  const dispatch = useDispatch()
  const quote = useQuote(market, wish)
  const [last, setLast] = useState<Answer>(unasked)
  const [given, setGiven] = useState<Yes>({})
  const [consent, setConsent] = useState<Consent | null>(null)
  const [busy, setBusy] = useState(false)
  // What was answered about another wish says nothing about this one.
  const answer = last.wish === wish ? last : unasked
  const told = answer.told ?? quote.told
  const figure = quote.reckoned?.kind === 'figure' ? quote.reckoned.figure : null
  const shown = figure && shownOf(figure, market.list)

  async function order(yes: Yes): Promise<void> {
    setConsent(null)
    setGiven(yes)
    setBusy(true)
    setLast({ ...answer, wish, problem: null })
    const by = told ?? (await agreed())
    if (by) await send(by, yes)
    setBusy(false)
  }

  /** The server's figure if it is the one that stands here; null: it is shown now, or there is none. */
  async function agreed(): Promise<ServerQuote | null> {
    const result = await quote.ask(body)
    return result.kind === 'fresh' && shown && isAsShown(shown, result.output) ? result.output : null
  }

  /** One whose answer was lost may stand by now: then it is what waits to be paid, and is not asked about as another one. */
  async function start(): Promise<void> {
    const made = answer.intent === null ? null : await dispatch(askMade(answer.intent))
    if (made) onOrdered(made)
    else await goOn({})
  }

  /** Asks for each consent that is known to be needed, and orders once all are there. */
  async function goOn(yes: Yes): Promise<void> {
    setGiven(yes)
    const discarded = (told ?? figure)?.discarded_amount ?? '0.00'
    if (unpaid && yes.replaces === undefined) return setConsent({ kind: 'unpaid', unpaid })
    if (discarded !== '0.00' && yes.confirm_discard !== discarded)
      return setConsent({ kind: 'discard', amount: discarded })
    await order(yes)
  }

  async function send(by: ServerQuote, yes: Yes): Promise<void> {
    const { quote_id, price_id, amount } = by
    const asking = answer.intent === null ? {} : { intent: answer.intent }
    const result = await dispatch(
      callEndpoint(changeContract, { body: { ...body, ...yes, quote_id, price_id, amount } }, asking),
    )
    if (result.kind === 'fresh') return onOrdered(result.output as OrderRow)
    if (result.kind !== 'problem') return
    const { problem, intent = null } = result
    const question = questionOf(problem)
    if (question?.kind === 'changed') return setLast({ ...unasked, wish, told: question.now })
    if (question) return setConsent(question)
    setLast({ wish, told: by, problem, intent: isConnectionLost(problem) ? intent : null })
  }

  return {
    /** The server's, once it has said one. */
    figure: told ?? figure,
    steps: told ? () => told.steps : (figure?.steps ?? null),
    reckoned: quote.reckoned,
    /** What stood here, where the server says another: both are shown before anything is ordered. */
    before: told && shown && !isAsShown(shown, told) ? shown : null,
    busy,
    problem: answer.problem ?? problemOf(quote.status),
    consent,
    start: () => void start(),
    agree: () => {
      if (consent?.kind === 'unpaid') void goOn({ ...given, replaces: consent.unpaid.id })
      if (consent?.kind === 'apps') void order({ ...given, confirmKey: consent.key })
      if (consent?.kind === 'discard') void order({ ...given, confirm_discard: consent.amount })
    },
    decline: () => setConsent(null),
  }
}
export type Changing = ReturnType<typeof useChanging>
