/** Takes payments in RMB by Alipay's open platform in mainland China. Requests, responses and notices are signed with RSA2. */
import type { AlipaySdk, AlipaySdkCommonResult } from 'alipay-sdk'
import { writeAmount } from '#domain/money.ts'
import {
  createClose,
  type AlipayForm,
  createNoticeReader,
  parseHundredths,
  toPaymentStatus,
  formatAlipayTime,
} from '#server/drivers/payment/alipay-trade.ts'
import type {
  PaymentAttempt,
  PaymentStartInput,
  GatewayPayment,
  GatewayRefund,
  PaymentDriver,
  RefundRequest,
  RefundResult,
} from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AlipaySettings } from '#server/config/payment-config.ts'

const timeoutMs = 20_000
const paymentWindow = '2h'

const products = {
  desktop: { method: 'alipay.trade.page.pay', code: 'FAST_INSTANT_TRADE_PAY' },
  phone: { method: 'alipay.trade.wap.pay', code: 'QUICK_WAP_WAY' },
} as const

export function createAlipayDriver(settings: AlipaySettings, notifyUrl: string, clock: () => number): PaymentDriver {
  let sdkPromise: Promise<AlipaySdk> | null = null
  // Loading the SDK takes a second, so it is loaded at the first use.
  const getSdk = () => (sdkPromise ??= openSdk(settings))
  const getTimestamp = () => formatAlipayTime(clock())

  async function callAlipay(
    method: string,
    { key }: PaymentAttempt,
    extraFields: Record<string, string> = {},
  ): Promise<AlipaySdkCommonResult> {
    const params = { bizContent: { out_trade_no: key, ...extraFields }, timestamp: getTimestamp() }
    // Without `validateSign` the SDK accepts responses without a signature.
    return await (await getSdk()).exec(method, params, { validateSign: true }).catch(throwUnclearResponse)
  }

  async function query(attempt: PaymentAttempt): Promise<GatewayPayment | null> {
    const response = await callAlipay('alipay.trade.query', attempt)
    if (response.subCode === 'ACQ.TRADE_NOT_EXIST') return null
    if (response.code !== '10000') throw toRefusal(response)
    return {
      key: String(response.outTradeNo),
      gatewayId: String(response.tradeNo),
      status: toPaymentStatus(String(response.tradeStatus)),
      amount: parseHundredths(String(response.totalAmount)),
      currency: 'RMB',
    }
  }

  /** Returns null if there is no refund with this name. A refund that is not known to be done is not there yet. */
  async function findRefund(payment: PaymentAttempt, name: string): Promise<GatewayRefund | null> {
    const response = await callAlipay('alipay.trade.fastpay.refund.query', payment, { out_request_no: name })
    if (response.code !== '10000') {
      if (response.code === '40004' && response.subCode === 'ACQ.TRADE_NOT_EXIST') return null
      throw toRefusal(response)
    }
    if (response.refundStatus !== 'REFUND_SUCCESS') return null
    const amount = parseHundredths(String(response.refundAmount))
    return { reference: name, key: name, amount, status: 'done', failure: null }
  }

  async function queryRefund({ payment, refundKey }: RefundRequest): Promise<RefundResult | null> {
    return (await findRefund(payment, refundKey)) && { status: 'done', reference: refundKey }
  }

  async function verifyForm(form: AlipayForm): Promise<void> {
    // The SDK takes the signature type from the form itself, so it is checked that the type is RSA2.
    if (form.sign_type !== 'RSA2' || !(await getSdk()).checkNotifySignV2(form)) throw new NoticeProblem('signature')
    if (form.app_id !== settings.appId || form.seller_id !== settings.sellerId) throw new NoticeProblem('account')
  }

  return {
    async start(input) {
      requireSupported(input, ['RMB'])
      const { method, code } = products[input.device]
      const { key, order, money, description, returnUrl, cancelUrl } = input
      const url = (await getSdk()).pageExecute(method, 'GET', {
        notifyUrl,
        returnUrl,
        timestamp: getTimestamp(),
        bizContent: {
          out_trade_no: key,
          product_code: code,
          total_amount: writeAmount(money.amount),
          subject: description,
          passback_params: encodeURIComponent(order),
          timeout_express: paymentWindow,
          ...(input.device === 'phone' ? { quit_url: cancelUrl } : {}),
        },
      })
      return { kind: 'redirect', url, gatewayId: null }
    },
    query,
    async refund(request) {
      const { payment, refundKey, amount, reason } = request
      const fields = { out_request_no: refundKey, refund_amount: writeAmount(amount), refund_reason: reason }
      const response = await callAlipay('alipay.trade.refund', payment, fields)
      if (response.code !== '10000') throw toRefusal(response)
      // Without `fundChange` `Y` the response does not show whether the money was refunded.
      if (response.fundChange === 'Y') return { status: 'done', reference: refundKey }
      return (await queryRefund(request)) ?? { status: 'pending', reference: refundKey }
    },
    queryRefund,
    async readRefunds(attempt, names, sum = null) {
      const refunds: GatewayRefund[] = []
      for (const name of new Set(names)) {
        const refund = await findRefund(attempt, name)
        // Alipay repeats its notice, and finds the refund later.
        if (!refund) throw new PaymentProblem('Alipay does not find the refund of its notice yet', false)
        refunds.push(refund)
      }
      // Alipay closes a paid trade when all its money was refunded. It returns the sum of partial refunds only in its notices.
      const payment = await query(attempt)
      return { refunds, total: payment?.status === 'closed' ? payment.amount : sum }
    },
    listRecentRefunds: async () => [],
    readDisputes: async () => [],
    close: createClose(query, (attempt) => callAlipay('alipay.trade.close', attempt)),
    ...createNoticeReader(verifyForm, (fields) => fields.has('app_id')),
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
    timeout: timeoutMs,
  })
}

export function requireSupported({ money, returnUrl }: PaymentStartInput, currencies: readonly string[]): void {
  if (!currencies.includes(money.currency))
    throw new PaymentProblem(`this gateway does not support ${money.currency}`, true)
  if (new URL(returnUrl).search !== '') throw new PaymentProblem('the return address must not contain a query', true)
}

/** Throws a problem without the SDK's error message, which contains the complete response with its signature. */
function throwUnclearResponse(error: unknown): never {
  const { responseHttpStatus } = error as { responseHttpStatus?: number }
  throw new PaymentProblem(`the response of Alipay is unreadable (${responseHttpStatus ?? 'no response'})`, false)
}

const toRefusal = ({ code, subCode }: AlipaySdkCommonResult) =>
  new PaymentProblem(
    `Alipay returned ${code} (${String(subCode ?? 'no reason')})`,
    code === '40004' && subCode !== 'ACQ.SYSTEM_ERROR',
  )
