import { type RefObject, useEffect, useRef, useState } from 'react'
import { groupThousands, readAmount } from '#domain/money.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { pay } from '#contract/payments.ts'
import { findRefusalReason, isOffline, type Problem } from '#contract/problem.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { useDispatch } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import {
  fetchPaymentOutcome,
  type PayableOrder,
  type PaymentMethod,
  type PaymentOutcome,
  sendPayment,
} from '#features/orders/payment/payment-api.ts'
import {
  getFailureTexts,
  isCharged,
  paymentStages,
  type PaymentStage,
} from '#features/orders/payment/payment-stages.ts'
import type { CardFormHandle } from '#features/orders/payment/useCardFields.ts'
import type { PaymentOffer } from '#features/orders/payment/usePaymentOffer.ts'

interface SendContext {
  card: RefObject<CardFormHandle | null>
  poNumber: string | undefined
  offer: Pick<PaymentOffer, 'currency' | 'getParts' | 'adoptCredit'>
}

/** `first` is the main button; `page` is a card on the gateway's own page. */
export type PayButtonName = PaymentMethod | 'first' | 'page'

interface SendState {
  stage: PaymentStage
  pressedButton: PayButtonName
  problem: Problem | null
  failureMessages: readonly string[]
}

/** Sends at most one payment at a time, even if buttons are pressed repeatedly. */
export function useSendPayment(order: PayableOrder, { card, poNumber, offer }: SendContext, onPaid: () => void) {
  const { t } = useTranslation('payment')
  const dispatch = useDispatch()
  const [state, setState] = useState<SendState>({
    stage: 'ready',
    pressedButton: 'first',
    problem: null,
    failureMessages: [],
  })
  const update = (changes: Partial<SendState>) => setState((previous) => ({ ...previous, ...changes }))
  const isSending = useRef(false)
  usePageRestore(() => {
    update({ stage: 'ready' })
    // The outcome at the gateway is not known, so the token must not be used again.
    card.current?.dropToken()
  })

  function handlePaid(text = t('paid.title')) {
    update({ stage: 'ready' })
    showToast({ kind: 'done', text })
    onPaid()
  }
  function handleOutcome(outcome: PaymentOutcome) {
    if (outcome === 'paid') return handlePaid()
    if (outcome === 'processing') return update({ stage: 'checking' })
    // The token can be used only once, for any outcome.
    card.current?.dropToken()
    update({
      stage: 'ready',
      failureMessages: getFailureTexts(outcome, order.items !== undefined).map((key) => t(key)),
    })
  }
  function handleResponse(response: OutputOf<typeof pay>, type: PaymentMethod) {
    if (!('redirect' in response))
      return type === 'credit' && response.status === 'paid'
        ? handlePaid(t('credit.paid'))
        : handleOutcome(response.status)
    update({ stage: 'leaving' })
    location.assign(response.redirect)
  }
  async function handleProblem(problem: Problem, wasOnline: boolean, form: CardFormHandle | null) {
    if (wasOnline && isUnanswered(problem)) return await followUnanswered(problem)
    if (isCreditChanged(problem)) return followChangedCredit(problem)
    if (order.items && isOverItem(problem)) return await followLostItem()
    if (order.items && problem.code === 'PAYMENT_IN_PROGRESS')
      return update({ failureMessages: [t('failed'), t('itemInProgress')] })
    if (isPaidAlready(problem)) return handlePaid()
    if (problem.code !== 'CARD_INVALID') return update({ problem })
    form?.dropToken()
    update({ failureMessages: [t('declined'), t(getReasonKey(problem))] })
  }
  /** Called if the response was lost. The money may have been taken already, so the outcome is fetched first. */
  async function followUnanswered(problem: Problem) {
    const outcome = await dispatch(fetchPaymentOutcome(order))
    if (outcome === null) return update({ failureMessages: [t('unanswered.title'), t('unanswered.text')] })
    if (isCharged(outcome)) handleOutcome(outcome)
    else update({ problem })
  }
  /** The credit is not what the page showed, so nothing was charged. The page shows the server's figures before the payer decides again. */
  function followChangedCredit({ data }: Problem) {
    const { available } = data as { available: string }
    offer.adoptCredit(readAmount(available))
    const amount = `${offer.currency} ${groupThousands(available)}`
    update({ failureMessages: [t('credit.changed'), t('credit.changedTo', { amount })] })
  }
  /** An item was paid, changed or deleted in the meantime. The same payment in another tab may have paid all of them. */
  async function followLostItem() {
    const outcome = await dispatch(fetchPaymentOutcome(order))
    if (outcome !== null && isCharged(outcome)) return handleOutcome(outcome)
    update({ failureMessages: [t('changedItem.title'), t('changedItem.text')] })
  }
  async function createPayment(type: PaymentMethod, form: CardFormHandle | null) {
    const tokenResult = form ? await form.createToken() : null
    // The gateway's own message names the card field that is wrong (M81).
    if (tokenResult?.kind === 'invalid')
      return update({ failureMessages: [t('declined'), tokenResult.message].filter(Boolean) })
    if (tokenResult?.kind === 'failed') return update({ failureMessages: [t('unsent')] })
    const wasOnline = navigator.onLine
    const { credit } = offer.getParts(type)
    const result = await dispatch(sendPayment(order, { type, token: tokenResult?.token ?? null, poNumber, credit }))
    if (result.kind === 'problem') await handleProblem(result.problem, wasOnline, form)
    else if (result.kind === 'fresh') handleResponse(result.output, type)
  }
  async function send(button: PayButtonName, type: PaymentMethod) {
    if (isSending.current) return
    isSending.current = true
    update({ stage: 'sending', pressedButton: button, problem: null, failureMessages: [] })
    const form = button === 'first' && type === 'stripe' ? card.current : null
    await createPayment(type, form).finally(() => {
      isSending.current = false
      setState((previous) => (previous.stage === 'sending' ? { ...previous, stage: 'ready' } : previous))
    })
  }
  return { ...state, ...paymentStages[state.stage], send, handleOutcome }
}

/** Calls `onRestore` if the browser's Back button has restored this page, because its button would still be busy. */
function usePageRestore(onRestore: () => void) {
  const handlePageShow = useLatestCallback((event: PageTransitionEvent) => event.persisted && onRestore())
  useEffect(() => {
    addEventListener('pageshow', handlePageShow)
    return () => removeEventListener('pageshow', handlePageShow)
  }, [handlePageShow])
}

/** Returns whether the order is paid already, in another tab or by an earlier call of this page whose response was lost. */
const isPaidAlready = (problem: Problem) =>
  problem.code === 'STATE_CONFLICT' && findRefusalReason(problem, ['paidAlready']) !== null

const isCreditChanged = (problem: Problem) => findRefusalReason(problem, ['creditChanged', 'creditTooLow']) !== null

/** Returns whether an item of several can no longer be paid. No money was taken then. */
const isOverItem = ({ code }: Problem) => code === 'STATE_CONFLICT' || code === 'NOT_FOUND'

/** Returns whether the connection was cut, or a proxy responded instead of the server. */
const isUnanswered = (problem: Problem) => isOffline(problem) || problem.code === 'BLOCKED_BY_PROXY'

const reasons = ['insufficient_funds', 'expired_card', 'incorrect_cvc', 'incorrect_number'] as const

function getReasonKey({ data }: Problem): `reason.${(typeof reasons)[number] | 'other'}` {
  const reason = (data as { reason?: string } | null)?.reason
  return `reason.${reasons.find((knownReason) => knownReason === reason) ?? 'other'}`
}
