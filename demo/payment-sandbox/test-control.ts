/** Lets tests read the balances and control the webhook calls over HTTP if the portal is a separate process. */
import type { FastifyInstance } from 'fastify'
import { calculateSandboxBalances, type SandboxStore } from '#demo/payment-sandbox/sandbox-store.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import type { SandboxKeys } from '#demo/payment-sandbox/keys.ts'
import type { GatewayStaff } from '#demo/payment-sandbox/gateway-staff.ts'
import type { SandboxFaults } from '#demo/payment-sandbox/sandbox-faults.ts'

interface ControlContext {
  store: SandboxStore
  webhooks: WebhookSender
  faults: SandboxFaults
  staff: GatewayStaff
  keys: SandboxKeys
}

interface ControlRequest {
  hold?: boolean
  send?: string
  drop?: string
  loseAnswers?: number
  fail?: number
  /** A refund that is made at the gateway. The amount is in hundredths. */
  refund?: { reference: string; amount: number }
  /** Id of a refund whose money the bank sends back. */
  failRefund?: string
  /** Id of the card payment whose payer opens a dispute. */
  dispute?: string
  /** The same for an inquiry, which `escalate` makes a dispute. */
  inquiry?: string
  escalate?: string
  endDispute?: { id: string; status: 'won' | 'lost' | 'warning_closed' }
}

/** Serves `/control`. Requests need the secret key from `keys.json` as bearer token. */
export function serveTestControl(
  fastify: FastifyInstance,
  { store, webhooks, faults, staff, keys }: ControlContext,
): void {
  const isAuthorized = (authorization: string | undefined) => authorization === `Bearer ${keys.stripe.secretKey}`
  fastify.get('/control', (request, reply) =>
    isAuthorized(request.headers.authorization)
      ? reply.send({
          balances: calculateSandboxBalances(store),
          calls: webhooks.list(),
          intents: store.list('intents'),
          sessions: store.list('sessions'),
          trades: store.list('trades'),
          refunds: store.list('refunds'),
          disputes: store.list('disputes'),
        })
      : reply.code(401).send(),
  )
  fastify.post('/control', async (request, reply) => {
    if (!isAuthorized(request.headers.authorization)) return reply.code(401).send()
    const controlRequest = JSON.parse(String(request.body)) as ControlRequest
    if (controlRequest.hold === true) webhooks.hold()
    if (controlRequest.hold === false) webhooks.release()
    if (controlRequest.drop !== undefined) webhooks.drop(controlRequest.drop)
    if (controlRequest.loseAnswers !== undefined) faults.loseAnswers = controlRequest.loseAnswers
    if (controlRequest.fail !== undefined) faults.fail = controlRequest.fail
    const { refund, failRefund, dispute, inquiry, escalate, endDispute } = controlRequest
    if (refund) staff.refund(refund.reference, refund.amount)
    if (failRefund !== undefined) staff.failRefund(failRefund)
    if (dispute !== undefined) staff.openDispute(dispute)
    if (inquiry !== undefined) staff.openInquiry(inquiry)
    if (escalate !== undefined) staff.escalate(escalate)
    if (endDispute) staff.endDispute(endDispute.id, endDispute.status)
    const status = controlRequest.send === undefined ? null : await webhooks.send(controlRequest.send)
    return reply.send({ status })
  })
}
