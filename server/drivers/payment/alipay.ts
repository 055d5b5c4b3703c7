/** Alipay for the mainland: RMB, by Alipay's open platform. Requests, answers and notices are signed with RSA2. */
import type { AlipaySdk, AlipaySdkCommonResult } from 'alipay-sdk'
import { writeAmount } from '#domain/money.ts'
import {
  closing,
  type FormOfAlipay,
  hearing,
  hundredthsOf,
  statusOfTrade,
  timestampOfAlipay,
} from '#server/drivers/payment/alipay-trade.ts'
import type {
  Asked,
  Beginning,
  Payment,
  PaymentDriver,
  RefundRequest,
  RefundResult,
} from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { AlipaySettings } from '#server/config/payment-config.ts'

/** In ms. */
const timeout = 20_000
/** Until then the payer may pay. */
const payWithin = '2h'

const products = {
  desktop: { method: 'alipay.trade.page.pay', code: 'FAST_INSTANT_TRADE_PAY' },
  phone: { method: 'alipay.trade.wap.pay', code: 'QUICK_WAP_WAY' },
} as const

/** `notifyUrl`: where Alipay calls us. */
export function alipayPayment(settings: AlipaySettings, notifyUrl: string, clock: () => number): PaymentDriver {
  let opened: Promise<AlipaySdk> | null = null
  // A second of loading, for those who pay by it.
  const sdk = () => (opened ??= openSdk(settings))
  const timestamp = () => timestampOfAlipay(clock())

  async function ask(
    method: string,
    { key }: Asked,
    more: Record<string, string> = {},
  ): Promise<AlipaySdkCommonResult> {
    const asked = { bizContent: { out_trade_no: key, ...more }, timestamp: timestamp() }
    // Without being told so the SDK believes an answer that nobody signed.
    return await (await sdk()).exec(method, asked, { validateSign: true }).catch(unclear)
  }

  async function query(asked: Asked): Promise<Payment | null> {
    const answer = await ask('alipay.trade.query', asked)
    if (answer.subCode === 'ACQ.TRADE_NOT_EXIST') return null
    if (answer.code !== '10000') throw refusal(answer)
    return {
      key: String(answer.outTradeNo),
      gatewayId: String(answer.tradeNo),
      status: statusOfTrade(String(answer.tradeStatus)),
      amount: hundredthsOf(String(answer.totalAmount)),
      currency: 'RMB',
    }
  }

  async function queryRefund({ payment, refundKey }: RefundRequest): Promise<RefundResult | null> {
    const answer = await ask('alipay.trade.fastpay.refund.query', payment, { out_request_no: refundKey })
    if (answer.code === '10000' && answer.refundStatus === 'REFUND_SUCCESS')
      return { status: 'done', reference: refundKey }
    // What was paid and is closed was given back, by whatever way.
    return (await query(payment))?.status === 'closed' ? { status: 'done', reference: refundKey } : null
  }

  async function verified(form: FormOfAlipay): Promise<void> {
    // The SDK takes the signature's kind from what is to be verified; only the strong one counts.
    if (form.sign_type !== 'RSA2' || !(await sdk()).checkNotifySignV2(form)) throw new NoticeProblem('signature')
    if (form.app_id !== settings.appId || form.seller_id !== settings.sellerId) throw new NoticeProblem('account')
  }

  return {
    async begin(beginning) {
      requireFit(beginning, ['RMB'])
      const { method, code } = products[beginning.device]
      const { key, order, money, description, returnUrl, cancelUrl } = beginning
      const url = (await sdk()).pageExecute(method, 'GET', {
        notifyUrl,
        returnUrl,
        timestamp: timestamp(),
        bizContent: {
          out_trade_no: key,
          product_code: code,
          total_amount: writeAmount(money.amount),
          subject: description,
          passback_params: encodeURIComponent(order),
          timeout_express: payWithin,
          ...(beginning.device === 'phone' ? { quit_url: cancelUrl } : {}),
        },
      })
      return { kind: 'redirect', url, gatewayId: null }
    },
    query,
    async refund(request) {
      const { payment, refundKey, amount, reason } = request
      const fields = { out_request_no: refundKey, refund_amount: writeAmount(amount), refund_reason: reason }
      const answer = await ask('alipay.trade.refund', payment, fields)
      if (answer.code !== '10000') throw refusal(answer)
      // Otherwise the answer does not say whether money has moved.
      if (answer.fundChange === 'Y') return { status: 'done', reference: refundKey }
      return (await queryRefund(request)) ?? { status: 'pending', reference: refundKey }
    },
    queryRefund,
    close: closing(query, (asked) => ask('alipay.trade.close', asked)),
    ...hearing(verified, (fields) => fields.has('app_id')),
  }
}

async function openSdk({ appId, privateKey, publicKey, gatewayUrl }: AlipaySettings): Promise<AlipaySdk> {
  const { AlipaySdk } = await import('alipay-sdk')
  return new AlipaySdk({
    appId,
    privateKey,
    keyType: 'PKCS8',
    alipayPublicKey: publicKey,
    gateway: gatewayUrl,
    signType: 'RSA2',
    timeout,
  })
}

export function requireFit({ money, returnUrl }: Beginning, currencies: readonly string[]): void {
  if (!currencies.includes(money.currency)) throw new PaymentProblem(`${money.currency} is not paid this way`, true)
  if (new URL(returnUrl).search !== '') throw new PaymentProblem('the return address must have no query', true)
}

/** What the SDK writes about an error holds the answer, signature and all. */
function unclear(error: unknown): never {
  const { responseHttpStatus } = error as { responseHttpStatus?: number }
  throw new PaymentProblem(`Alipay was not understood (${responseHttpStatus ?? 'no answer'})`, false)
}

const refusal = ({ code, subCode }: AlipaySdkCommonResult) =>
  new PaymentProblem(
    `Alipay said ${code} (${String(subCode ?? 'no reason')})`,
    code === '40004' && subCode !== 'ACQ.SYSTEM_ERROR',
  )
