import type { PaymentOutcome } from '#features/orders/payment/payment-api.ts'

interface StageView {
  hasMethods: boolean
  /** Whether the buttons to pay are enabled. They are disabled during a payment, because only one may run at a time. */
  canPay: boolean
}

export const paymentStages = {
  ready: { hasMethods: true, canPay: true },
  sending: { hasMethods: true, canPay: false },
  /** The browser is leaving for the gateway's page. */
  leaving: { hasMethods: true, canPay: false },
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

/** Returns title and text of a failed or late payment. A newer server may send an outcome that this build does not know. */
export const getFailureTexts = (outcome: FailedOutcome, hasItems: boolean) =>
  hasItems && outcome === 'received' ? receivedItemsTexts : (failureTexts[outcome] ?? failureTexts.open)

/** Several items are seldom late together: one of them was paid or changed. */
const receivedItemsTexts = ['received.titleItems', 'received.text'] as const

const chargedOutcomes: readonly PaymentOutcome[] = ['paid', 'received', 'processing']

/** Returns whether money was taken or may still be taken. Any other outcome may belong to an older attempt. */
export const isCharged = (outcome: PaymentOutcome): boolean => chargedOutcomes.includes(outcome)
