/** Reads the payments that the sandbox gateways really charged, from the sandbox's own records. */
import type { SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'

/** One payment at a gateway. Its amounts are in hundredths. */
export interface TakenPayment {
  /** The portal's payment key, which the request to the gateway contained. */
  key: string
  gateway: 'stripe' | 'alipay' | 'globalAlipay'
  /** The gateway's own ids. For a card paid on the gateway's page, the ids of the payment and of the page. */
  references: string[]
  currency: 'HKD' | 'USD' | 'RMB' | (string & {})
  amount: number
  /** What was sent back: refunds and lost disputes. */
  refunded: number
  /** Disputes about the payment, with the states of the gateway. */
  disputes: { id: string; status: string }[]
}

interface SandboxRecords {
  intents: { id: string; status: string; amount: number; currency: string; metadata: Record<string, string> }[]
  sessions: { id: string; intent: string | null }[]
  trades: {
    gate: 'alipay' | 'globalAlipay'
    status: string
    amount: number
    currency: string
    id: string
    outTradeNo: string
    tradeNo: string
  }[]
  /** Refunds by the id of the payment intent or trade. */
  refunds?: { of: string; amount: number; failure?: string }[]
  disputes?: { id: string; of: string; amount: number; status: string }[]
}

/** The gateways use the ISO 4217 code of RMB, which is CNY. */
const toPortalCurrency = (currency: string) => (currency.toLowerCase() === 'cny' ? 'RMB' : currency.toUpperCase())

/** Returns the payments that were charged, unordered. */
export async function readGatewayBook({ gateways, keys }: SandboxServer): Promise<TakenPayment[]> {
  const headers = { authorization: `Bearer ${keys.stripe.secretKey}` }
  const response = await fetch(`${gateways.stripe?.apiUrl}/control`, { headers })
  const { intents, sessions, trades, refunds = [], disputes = [] } = (await response.json()) as SandboxRecords
  const lostDisputes = disputes.filter(({ status }) => status === 'lost')
  const sumRefunds = (id: string) =>
    [...refunds.filter(({ failure }) => failure === undefined), ...lostDisputes]
      .filter(({ of }) => of === id)
      .reduce((sum, { amount }) => sum + amount, 0)
  return [
    ...intents
      .filter(({ status }) => status === 'succeeded')
      .map(({ id, amount, currency, metadata }) => ({
        key: metadata.key ?? '',
        gateway: 'stripe' as const,
        references: [id, ...sessions.filter(({ intent }) => intent === id).map((session) => session.id)],
        currency: toPortalCurrency(currency),
        amount,
        refunded: sumRefunds(id),
        disputes: disputes.filter(({ of }) => of === id).map((dispute) => ({ id: dispute.id, status: dispute.status })),
      })),
    ...trades
      // A trade is closed after it was fully refunded, so refunded trades are included.
      .filter(({ id, status }) => status === 'TRADE_SUCCESS' || sumRefunds(id) > 0)
      .map(({ id, gate: gateway, amount, currency, outTradeNo, tradeNo }) => ({
        key: outTradeNo,
        gateway,
        references: [tradeNo],
        currency: toPortalCurrency(currency),
        amount,
        refunded: sumRefunds(id),
        disputes: [],
      })),
  ]
}
