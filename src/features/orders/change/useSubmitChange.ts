import { useState } from 'react'
import { changeContract, type OrderRow } from '#contract/orders.ts'
import type { InputOf, Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { formatPayableFault, isNotPayable } from '#ui/i18n/payable-messages.ts'
import {
  fetchOrderOfIntent,
  getLostIntent,
  type OrderQuestion,
  parseQuestion,
  toIntentOptions,
  type UnpaidOrder,
} from '#features/orders/draft/submit-order.ts'
import { findPendingOrder } from '#features/orders/payment/payable.ts'
import { usePayableFault } from '#patterns/usePayableFault.ts'
import {
  isAmountTooLarge,
  isSameFigure,
  type PriceData,
  type QuoteFigure,
  type ServerQuote,
  type RequestedOrder,
} from '#features/orders/quote/local-quote.ts'
import { type QuoteState, useQuote } from '#features/orders/quote/useQuote.ts'
import { useStateOf } from '#features/orders/quote/useStateOf.ts'

export type ChangeConsent = Exclude<OrderQuestion, { kind: 'changed' }>

interface SubmitChangeInput {
  row: OrderRow
  priceData: PriceData
  /** Order to be priced. It must be the same object as long as its values are equal. Null if the form cannot be ordered. */
  requestedOrder: RequestedOrder | null
  body: InputOf<typeof changeContract>['body']
  /** Whether the order would change nothing. Its amount then needs no note. */
  isUnchanged?: boolean
  /** Whether an amount below the smallest payable amount is waived. */
  isWaivable: boolean
  onOrdered: (createdOrder: OrderRow) => void
}

type SubmitPhase = { kind: 'idle' } | { kind: 'sending' } | { kind: 'consent'; consent: ChangeConsent }

/** Result of the last call. `intent` is set if its response was lost: sending the call again with this intent takes effect only once. */
interface LastCall {
  problem: Problem | null
  intent: Intent | null
}
const noCall: LastCall = { problem: null, intent: null }

/** Consents of the user, with the field names of the request body. */
interface Consents {
  replaces?: number
  confirmKey?: string
  confirm_discard?: string
}

function toConsents(consent: ChangeConsent): Consents {
  switch (consent.kind) {
    case 'unpaid':
      return { replaces: consent.unpaidOrder.id }
    case 'apps':
      return { confirmKey: consent.key }
    case 'discard':
      return { confirm_discard: consent.amount }
  }
}

/** Returns the next missing consent: replacing the unpaid order (D32), then discarding money (D14). */
function findMissingConsent(
  consents: Consents,
  unpaidOrder: UnpaidOrder | null,
  discardedAmount: string,
): ChangeConsent | null {
  if (unpaidOrder && consents.replaces === undefined) return { kind: 'unpaid', unpaidOrder }
  if (discardedAmount === '0.00' || consents.confirm_discard === discardedAmount) return null
  return { kind: 'discard', amount: discardedAmount }
}

function toDisplayedPrice({ localFigure, displayedFigure, serverQuote }: QuoteState) {
  if (!serverQuote) return { figure: localFigure, steps: localFigure?.steps ?? null, previousFigure: null }
  const isDifferent = displayedFigure !== null && !isSameFigure(displayedFigure, serverQuote)
  return {
    figure: serverQuote,
    steps: () => serverQuote.steps,
    /** The previously displayed figure if the server's differs. Both are displayed before anything is ordered. */
    previousFigure: isDifferent ? displayedFigure : null,
  }
}

/** Returns why the figure cannot be paid, and the amount due, which is 0 if the amount is waived. */
function useDueFigure(
  figure: Figure | null,
  { isUnchanged, isWaivable }: Pick<SubmitChangeInput, 'isUnchanged' | 'isWaivable'>,
) {
  const fault = usePayableFault(isUnchanged ? null : figure, { isWaivable })
  return {
    fault,
    faultReason: isNotPayable(fault) ? formatPayableFault(fault) : null,
    dueFigure: figure && fault?.kind === 'waived' ? { ...figure, amount: '0.00' } : figure,
  }
}
type Figure = Pick<QuoteFigure, 'currency' | 'amount'>

/**
 * Orders a change or an extension. First it requests the server's figure. It orders only if that figure equals the displayed one; otherwise
 * it displays the server's figure and waits for the user (D17, D89).
 */
export function useSubmitChange(input: SubmitChangeInput) {
  const { row, priceData, requestedOrder, body, onOrdered } = input
  const { t } = useTranslation('contract')
  const dispatch = useDispatch()
  const quote = useQuote(priceData, requestedOrder)
  const { localQuote, displayedFigure, serverQuote } = quote
  const [{ problem, intent }, setLastCall] = useStateOf(requestedOrder, noCall)
  const [agreedConsents, setAgreedConsents] = useState<Consents>({})
  const [phase, setPhase] = useState<SubmitPhase>({ kind: 'idle' })
  const price = toDisplayedPrice(quote)
  const { faultReason, ...due } = useDueFigure(price.figure, input)

  /** If the last response was lost, the order may exist already. Without this check, it would be treated as another unpaid order. */
  async function start(): Promise<void> {
    const createdOrder = intent === null ? null : await dispatch(fetchOrderOfIntent(intent))
    if (createdOrder) onOrdered(createdOrder)
    else await continueWith({})
  }

  async function continueWith(consents: Consents): Promise<void> {
    setAgreedConsents(consents)
    const consent = findMissingConsent(consents, findPendingOrder(row), price.figure?.discarded_amount ?? '0.00')
    if (consent) setPhase({ kind: 'consent', consent })
    else await order(consents)
  }

  async function order(consents: Consents): Promise<void> {
    setAgreedConsents(consents)
    setPhase({ kind: 'sending' })
    setLastCall({ problem: null, intent })
    const agreedQuote = serverQuote ?? (await requestAgreedQuote())
    const consent = agreedQuote && (await send(agreedQuote, consents))
    setPhase(consent ? { kind: 'consent', consent } : { kind: 'idle' })
  }

  /** Returns null if the server's figure differs, in which case it is now displayed, or if there is no figure. */
  async function requestAgreedQuote(): Promise<ServerQuote | null> {
    const result = await quote.requestQuote(body)
    return result.kind === 'fresh' && displayedFigure && isSameFigure(displayedFigure, result.output)
      ? result.output
      : null
  }

  /** Returns the consent that the server requires before it accepts the order, or null. */
  async function send(agreedQuote: ServerQuote, consents: Consents): Promise<ChangeConsent | null> {
    const { quote_id, price_id, amount } = agreedQuote
    const callInput = { body: { ...body, ...consents, quote_id, price_id, amount } }
    const result = await dispatch(callEndpoint(changeContract, callInput, toIntentOptions(intent)))
    if (result.kind === 'fresh') onOrdered(result.output as OrderRow)
    if (result.kind !== 'problem') return null
    const question = parseQuestion(result.problem)
    if (question?.kind === 'changed') {
      quote.setServerQuote(question.serverQuote)
      setLastCall(noCall)
      return null
    }
    if (!question) setLastCall({ problem: result.problem, intent: getLostIntent(result) })
    return question
  }

  return {
    localQuote,
    ...price,
    ...due,
    notPayableReason: isAmountTooLarge(localQuote) ? t('amountTooLarge') : faultReason,
    isBusy: phase.kind === 'sending',
    problem: problem ?? quote.problem,
    consent: phase.kind === 'consent' ? phase.consent : null,
    start: () => void start(),
    agree() {
      if (phase.kind !== 'consent') return
      const consents = { ...agreedConsents, ...toConsents(phase.consent) }
      void (phase.consent.kind === 'unpaid' ? continueWith(consents) : order(consents))
    },
    decline: () => setPhase({ kind: 'idle' }),
  }
}
export type SubmitChangeState = ReturnType<typeof useSubmitChange>
