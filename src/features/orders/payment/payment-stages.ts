/** The states of a payment as data: what the panel shows in each, and what it says of an outcome. */
import type { PaymentOutcome } from '#features/orders/payment/payment-api.ts'

interface StageView {
  /** Card fields, help and buttons. */
  hasMethods: boolean
  /** One payment at a time: while one is sent, the other buttons say so. */
  canPay: boolean
}

export const paymentStages = {
  ready: { hasMethods: true, canPay: true },
  sending: { hasMethods: true, canPay: false },
  /** The browser is on its way to the gateway. */
  leaving: { hasMethods: true, canPay: false },
  /** The gateway has not given its final result. */
  checking: { hasMethods: false, canPay: false },
} as const satisfies Record<string, StageView>
export type PaymentStage = keyof typeof paymentStages

type FailedOutcome = Exclude<PaymentOutcome, 'paid' | 'processing'>

const failureTexts = {
  none: ['unfinished'],
  open: ['unfinished'],
  declined: ['declined'],
  received: ['received.title', 'received.text'],
} as const satisfies Record<FailedOutcome, readonly string[]>

/** Title and text of a payment that came to nothing, or too late. A newer server may send an outcome that this build does not know. */
export const getFailureTexts = (outcome: FailedOutcome) => failureTexts[outcome] ?? failureTexts.open

const chargedOutcomes: readonly PaymentOutcome[] = ['paid', 'received', 'processing']

/** Whether money was taken or may still be. Any other outcome may be that of an older attempt. */
export const isCharged = (outcome: PaymentOutcome): boolean => chargedOutcomes.includes(outcome)
