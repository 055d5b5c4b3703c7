/** What happens at a gateway without the portal: the shop's people refund there, and payers open disputes. Sends the gateway's events. */
import type { AlipayApi, RefundNoticeForm } from '#demo/payment-sandbox/alipay-api.ts'
import { type CardPayments, createId } from '#demo/payment-sandbox/card-payments.ts'
import {
  type SandboxDispute,
  type SandboxIntent,
  type SandboxStore,
  sumLostDisputes,
  sumSandboxRefunds,
} from '#demo/payment-sandbox/sandbox-store.ts'
import { buildRefundChanges, toApiDispute, toApiRefund } from '#demo/payment-sandbox/stripe-api.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'

const evidenceSeconds = 7 * 24 * 3600

export interface GatewayStaff {
  /** `reference`: id of an intent or a session, or a trade number. Amounts are in hundredths. Returns false if so much is not left. */
  refund(reference: string, amount: number, form?: RefundNoticeForm): boolean
  /** The bank sends the money of a card refund back to the gateway. Returns false if the refund does not exist or has failed before. */
  failRefund(id: string, failure?: string): boolean
  /** Lets Alipay find the refunds of `hidden` notices. */
  showRefunds(): void
  /**
   * Opens a dispute about what is left of a card payment. Returns its id, or null if nothing is left or a dispute is open. `currency`:
   * Stripe's code, if it is not the payment's.
   */
  openDispute(reference: string, currency?: string): string | null
  /** Opens an inquiry, which the bank may make a dispute (`escalate`). */
  openInquiry(reference: string): string | null
  escalate(id: string): void
  /** Returns false if the dispute is not open. */
  endDispute(id: string, status: 'won' | 'lost' | 'warning_closed'): boolean
}

interface StaffContext {
  store: SandboxStore
  cards: CardPayments
  alipay: AlipayApi
  webhooks: WebhookSender
  clock: () => number
}

export function createGatewayStaff({ store, cards, alipay, webhooks, clock }: StaffContext): GatewayStaff {
  const findIntent = (reference: string): SandboxIntent | null => {
    const intent = store.get('intents', store.get('sessions', reference)?.intent ?? reference)
    return intent?.status === 'succeeded' ? intent : null
  }
  const getRest = ({ id, amount }: SandboxIntent) => amount - sumSandboxRefunds(store, id) - sumLostDisputes(store, id)
  const isDisputed = ({ id }: SandboxIntent) =>
    store.list('disputes').some(({ of, status }) => of === id && (status === 'needs_response' || status === 'lost'))

  function putDispute(type: string, dispute: SandboxDispute): void {
    store.put({ disputes: [dispute], calls: [cards.buildEvent(type, toApiDispute(dispute))] })
    webhooks.wake()
  }

  function openDispute(reference: string, status: SandboxDispute['status'], currency?: string): string | null {
    const intent = findIntent(reference)
    if (!intent || isDisputed(intent) || getRest(intent) === 0) return null
    const created = Math.floor(clock() / 1000)
    const dispute: SandboxDispute = {
      id: createId('du'),
      of: intent.id,
      created,
      amount: getRest(intent),
      currency: currency ?? intent.currency,
      reason: 'fraudulent',
      status,
      dueBy: created + evidenceSeconds,
    }
    putDispute('charge.dispute.created', dispute)
    return dispute.id
  }

  return {
    refund(reference, amount, form = 'named') {
      const alipayTrade = store.list('trades').find(({ tradeNo }) => tradeNo === reference)
      if (alipayTrade) return alipay.refundByHand(alipayTrade, amount, form)
      const intent = findIntent(reference)
      if (!intent || isDisputed(intent) || amount > getRest(intent)) return false
      const { id: of, currency } = intent
      const created = Math.floor(clock() / 1000)
      const refund = { id: createId('re'), gate: 'stripe' as const, of, created, amount, currency, metadata: {} }
      store.put(buildRefundChanges({ store, cards }, intent, refund))
      webhooks.wake()
      return true
    },
    failRefund(id, failure = 'expired_or_canceled_card') {
      const refund = store.get('refunds', id)
      if (refund?.gate !== 'stripe' || refund.failure !== undefined) return false
      const failedRefund = { ...refund, failure }
      const types = ['refund.failed', 'charge.refund.updated']
      const calls = types.map((type) => cards.buildEvent(type, toApiRefund(failedRefund)))
      store.put({ refunds: [failedRefund], calls })
      webhooks.wake()
      return true
    },
    showRefunds() {
      const refunds = store.list('refunds').filter(({ isHidden }) => isHidden)
      store.put({ refunds: refunds.map((refund) => ({ ...refund, isHidden: false })) })
    },
    openDispute: (reference, currency) => openDispute(reference, 'needs_response', currency),
    openInquiry: (reference) => openDispute(reference, 'warning_needs_response'),
    escalate(id) {
      const dispute = store.get('disputes', id)
      if (dispute) putDispute('charge.dispute.updated', { ...dispute, status: 'needs_response' })
    },
    endDispute(id, status) {
      const dispute = store.get('disputes', id)
      if (!dispute?.status.endsWith('needs_response')) return false
      putDispute('charge.dispute.closed', { ...dispute, status })
      return true
    },
  }
}
