/** What happens at a gateway without the portal: the shop's people refund there, and payers open disputes. Sends the gateway's events. */
import type { AlipayApi } from '#demo/payment-sandbox/alipay-api.ts'
import { type CardPayments, createId } from '#demo/payment-sandbox/card-payments.ts'
import {
  type SandboxDispute,
  type SandboxIntent,
  type SandboxStore,
  sumLostDisputes,
  sumSandboxRefunds,
} from '#demo/payment-sandbox/sandbox-store.ts'
import { buildRefundChanges, toApiDispute } from '#demo/payment-sandbox/stripe-api.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'

const evidenceSeconds = 7 * 24 * 3600

export interface GatewayStaff {
  /** `reference`: id of an intent or a session, or a trade number. Amounts are in hundredths. Returns false if so much is not left. */
  refund(reference: string, amount: number): boolean
  /** Opens a dispute about what is left of a card payment. Returns its id, or null if nothing is left or a dispute is open. */
  openDispute(reference: string): string | null
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

  return {
    refund(reference, amount) {
      const alipayTrade = store.list('trades').find(({ tradeNo }) => tradeNo === reference)
      if (alipayTrade) return alipay.refundByHand(alipayTrade, amount)
      const intent = findIntent(reference)
      if (!intent || isDisputed(intent) || amount > getRest(intent)) return false
      const { id: of, currency } = intent
      const created = Math.floor(clock() / 1000)
      const refund = { id: createId('re'), gate: 'stripe' as const, of, created, amount, currency, metadata: {} }
      store.put(buildRefundChanges({ store, cards }, intent, refund))
      webhooks.wake()
      return true
    },
    openDispute(reference) {
      const intent = findIntent(reference)
      if (!intent || isDisputed(intent) || getRest(intent) === 0) return null
      const created = Math.floor(clock() / 1000)
      const dispute: SandboxDispute = {
        id: createId('du'),
        of: intent.id,
        created,
        amount: getRest(intent),
        currency: intent.currency,
        reason: 'fraudulent',
        status: 'needs_response',
        dueBy: created + evidenceSeconds,
      }
      putDispute('charge.dispute.created', dispute)
      return dispute.id
    },
    endDispute(id, status) {
      const dispute = store.get('disputes', id)
      if (dispute?.status !== 'needs_response') return false
      putDispute('charge.dispute.closed', { ...dispute, status })
      return true
    },
  }
}
