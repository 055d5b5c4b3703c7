/** What the sandbox gateways have really taken, read from their own journal. */
import type { SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'

/** One payment at a gateway. Amounts in hundredths. */
export interface TakenPayment {
  /** Ours, under which the gateway was asked for it. */
  key: string
  gateway: 'stripe' | 'alipay' | 'globalAlipay'
  /** The gateway's own names for it: of a card that was asked for on the gateway's page, those of the payment and of the page. */
  references: string[]
  currency: 'HKD' | 'USD' | 'RMB' | (string & {})
  amount: number
  refunded: number
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
  /** Of an intent or a trade, by its id. */
  refunds?: { of: string; amount: number }[]
}

/** Both gateways call RMB by its code in ISO 4217. */
const toPortalCurrency = (currency: string) => (currency.toLowerCase() === 'cny' ? 'RMB' : currency.toUpperCase())

/** Payments of which money was taken, in no order. */
export async function readGatewayBook({ gateways, keys }: SandboxServer): Promise<TakenPayment[]> {
  const headers = { authorization: `Bearer ${keys.stripe.secretKey}` }
  const response = await fetch(`${gateways.stripe?.apiUrl}/control`, { headers })
  const { intents, sessions, trades, refunds = [] } = (await response.json()) as SandboxRecords
  const sumRefunds = (id: string) => refunds.filter(({ of }) => of === id).reduce((sum, { amount }) => sum + amount, 0)
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
      })),
    ...trades
      // Closed once all of it was given back.
      .filter(({ id, status }) => status === 'TRADE_SUCCESS' || sumRefunds(id) > 0)
      .map(({ id, gate: gateway, amount, currency, outTradeNo, tradeNo }) => ({
        key: outTradeNo,
        gateway,
        references: [tradeNo],
        currency: toPortalCurrency(currency),
        amount,
        refunded: sumRefunds(id),
      })),
  ]
}
