/**
 * Performs operations of gateways and attackers: lost responses, missing responses, and notices that are delayed, repeated, reordered,
 * dropped or forged.
 */
import { createHmac } from 'node:crypto'
import { drawBetween, type Random, pick } from '#tests/support/runner/random.ts'
import type { WebhookCall } from '#demo/payment-sandbox/sandbox-store.ts'
import { reconcilePayments } from '#tests/campaigns/payments.ts'
import type { Buyer } from '#tests/campaigns/money/buyer.ts'
import type { BuyerOperation } from '#tests/campaigns/money/order-operations.ts'

export const loseAnswers: BuyerOperation = async ({ world }, random) => {
  // The card library retries three times by itself.
  world.sandbox.faults.loseAnswers = drawBetween(random, 1, 4)
  return 'done'
}

export const silenceGateway: BuyerOperation = async ({ world }, random) => {
  world.sandbox.faults.fail = drawBetween(random, 1, 6)
  return 'done'
}

export const holdNotices: BuyerOperation = async ({ world }) => {
  world.sandbox.webhooks.hold()
  return 'done'
}

export const releaseNotices: BuyerOperation = async ({ world }) => {
  world.sandbox.webhooks.release()
  return 'done'
}

const listLatestCalls = ({ world }: Buyer): WebhookCall[] => world.sandbox.webhooks.list().slice(-30)

export const repeatNotices: BuyerOperation = async (buyer, random) => {
  const calls = listLatestCalls(buyer)
  if (calls.length === 0) return 'skipped'
  const { id } = pick(random, calls)
  const { webhooks: sender } = buyer.world.sandbox
  const statuses = await Promise.all([sender.send(id), sender.send(id), sender.send(id)])
  return statuses.some((status) => status !== null) ? 'done' : 'unanswered'
}

export const reverseNotices: BuyerOperation = async (buyer) => {
  const calls = listLatestCalls(buyer).slice(-6).toReversed()
  if (calls.length < 2) return 'skipped'
  const { webhooks: sender } = buyer.world.sandbox
  const statuses: (number | null)[] = []
  for (const { id } of calls) statuses.push(await sender.send(id))
  return statuses.some((status) => status !== null) ? 'done' : 'unanswered'
}

/** Drops a notice, so that it is never delivered. */
export const dropNotice: BuyerOperation = async (buyer, random) => {
  const waitingCalls = listLatestCalls(buyer).filter(({ nextAt }) => nextAt !== null)
  if (waitingCalls.length === 0) return 'skipped'
  buyer.world.sandbox.webhooks.drop(pick(random, waitingCalls).id)
  return 'done'
}

/** Sends a notice without a gateway's signature. Throws if it is accepted. */
export const forgeNotice: BuyerOperation = async (buyer, random) => {
  const calls = listLatestCalls(buyer)
  if (calls.length === 0) return 'skipped'
  const call = pick(random, calls)
  const response = await fetch(call.url, { method: 'POST', ...forgeCall(buyer, call, random) }).catch(() => null)
  await response?.text()
  if (response === null || response.status >= 500) return 'unanswered'
  if (response.status < 400) throw new Error(`the response to a forged notice of ${call.gate} was ${response.status}`)
  return 'done'
}

function forgeCall(
  { world }: Buyer,
  { gate: gateway, body }: WebhookCall,
  random: Random,
): { body: string; headers: Record<string, string> } {
  if (gateway !== 'stripe') {
    const fields = new URLSearchParams(body)
    // The signature was made for another amount.
    for (const name of ['total_amount', 'total_fee']) if (fields.has(name)) fields.set(name, '1.00')
    if (random() < 0.5) fields.set('sign', Buffer.from('nobody').toString('base64'))
    fields.set('trade_status', random() < 0.5 ? 'TRADE_SUCCESS' : 'TRADE_FINISHED')
    fields.set('gmt_payment', '2026-01-01 00:00:00')
    return { body: fields.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  }
  const time = Math.floor(world.clock() / 1000)
  const signature = createHmac('sha256', 'whsec_nobody').update(`${time}.${body}`).digest('hex')
  return { body, headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` } }
}

/** Returns to the portal with the data of another user's payment, to get an order marked as paid. */
export const forgeReturn: BuyerOperation = async (buyer, random) => {
  const gatewayIds = listLatestCalls(buyer).flatMap(({ body }) => /"id":"((?:cs_test|pi)_\w+)"/.exec(body)?.[1] ?? [])
  const returnKeys = listLatestCalls(buyer).flatMap(({ body }) => /"key":"(\w+)"/.exec(body)?.[1] ?? [])
  if (gatewayIds.length === 0 || returnKeys.length === 0) return 'skipped'
  const id = pick(random, gatewayIds)
  const query = id.startsWith('cs_')
    ? `session_id=${id}`
    : `payment_intent=${id}&payment_intent_client_secret=${id}_secret_guessed`
  const address = `${buyer.world.url}/public/payment/return/${pick(random, returnKeys)}?${query}`
  const response = await fetch(address, { redirect: 'manual' }).catch(() => null)
  return response === null ? 'unanswered' : 'done'
}

export const reconcile: BuyerOperation = async ({ world }) => {
  await world.waitUntilUp()
  return await reconcilePayments(world.url).then(
    () => 'done' as const,
    () => 'unanswered' as const,
  )
}
