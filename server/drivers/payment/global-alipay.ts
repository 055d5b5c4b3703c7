/** Takes payments by Alipay's cross-border gateway (`create_forex_trade`), which no SDK supports. Responses are XML, signed with RSA2. */
import { createSign, createVerify } from 'node:crypto'
import { type Hundredths, writeAmount } from '#domain/money.ts'
import { requireSupported } from '#server/drivers/payment/alipay.ts'
import {
  createClose,
  type AlipayForm,
  createNoticeReader,
  parseHundredths,
  toPaymentStatus,
  formatAlipayTime,
} from '#server/drivers/payment/alipay-trade.ts'
import { readFlatXml } from '#server/drivers/payment/flat-xml.ts'
import {
  type PaymentAttempt,
  type GatewayPayment,
  type PaymentDriver,
  withQuery,
} from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { GlobalAlipaySettings } from '#server/config/payment-config.ts'

const timeoutMs = 20_000

const products = {
  desktop: { service: 'create_forex_trade', product_code: 'NEW_OVERSEAS_SELLER' },
  phone: { service: 'create_forex_trade_wap', product_code: 'NEW_WAP_OVERSEAS_SELLER' },
} as const

/** Error code of a refund that was already requested. */
const repeatedRefundError = 'REPEATED_REFUNDMENT_REQUEST'
/** Error codes after which it is unknown whether the request was executed. */
const unclearErrorCodes = new Set(['SYSTEM_ERROR', 'no'])

export function createGlobalAlipayDriver(
  settings: GlobalAlipaySettings,
  notifyUrl: string,
  clock: () => number,
): PaymentDriver {
  const { partner, privateKey, publicKey, gatewayUrl } = settings
  const signForm = (fields: AlipayForm): AlipayForm => {
    const allFields = { partner, _input_charset: 'UTF-8', ...fields }
    return { ...allFields, sign: signFields(allFields, privateKey), sign_type: 'RSA2' }
  }

  async function callAlipay(
    service: string,
    { key }: PaymentAttempt,
    extraFields: AlipayForm = {},
  ): Promise<AlipayForm> {
    const body = new URLSearchParams(signForm({ service, out_trade_no: key, out_order_no: key, ...extraFields }))
    const url = `${gatewayUrl}?_input_charset=UTF-8`
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal }).catch(() => null)
    const text = response?.ok ? await response.text().catch(() => null) : null
    if (text === null)
      throw new PaymentProblem(`the response of Alipay is unreadable (${response?.status ?? 'no response'})`, false)
    return readFlatXml(text)
  }

  async function queryTrade(
    attempt: PaymentAttempt,
  ): Promise<{ payment: GatewayPayment; refunded: Hundredths } | null> {
    const { is_success, error, sign = '', sign_type, ...fields } = await callAlipay('single_trade_query', attempt)
    if (is_success !== 'T') {
      if (error === 'TRADE_NOT_EXIST') return null
      throw new PaymentProblem(`Alipay returned ${error ?? 'no error code'}`, false)
    }
    if (sign_type !== 'RSA2' || !isSigned(fields, sign, publicKey))
      throw new PaymentProblem('the signature of a response of Alipay is invalid', false)
    const payment: GatewayPayment = {
      key: fields.out_trade_no ?? '',
      gatewayId: fields.trade_no ?? '',
      status: toPaymentStatus(fields.trade_status ?? ''),
      // If both fees exist, `total_fee` is what the payer paid in RMB. Without a currency the payment matches no order.
      amount: parseHundredths(fields.forex_total_fee ?? fields.total_fee ?? ''),
      currency: fields.currency ?? '',
    }
    // The field has the sum of all refunds.
    return { payment, refunded: parseHundredths(fields.to_buyer_fee ?? '0.00') }
  }

  const query = async (attempt: PaymentAttempt) => (await queryTrade(attempt))?.payment ?? null

  function verifyForm(form: AlipayForm): void {
    const { sign = '', sign_type, ...fields } = form
    // Alipay may use this key for other shops too, and the notice may name no shop. The query that follows uses the portal's partner id.
    if (sign_type !== 'RSA2' || !isSigned(fields, sign, publicKey)) throw new NoticeProblem('signature')
    if ((form.seller_id ?? partner) !== partner) throw new NoticeProblem('account')
  }

  return {
    async start(input) {
      requireSupported(input, ['HKD', 'USD'])
      const { key, money, description, returnUrl, device } = input
      const fields = signForm({
        ...products[device],
        notify_url: notifyUrl,
        return_url: returnUrl,
        subject: description,
        out_trade_no: key,
        currency: money.currency,
        total_fee: writeAmount(money.amount),
        timeout_rule: '2h',
      })
      return { kind: 'redirect', url: withQuery(gatewayUrl, fields), gatewayId: null }
    },
    query,
    async refund({ payment, refundKey, amount, currency, reason }) {
      const { is_success, error = 'no' } = await callAlipay('forex_refund', payment, {
        out_return_no: refundKey,
        return_amount: writeAmount(amount),
        currency,
        gmt_return: formatAlipayTime(clock()),
        reason,
        is_sync: 'Y',
      })
      if (is_success !== 'T' && error !== repeatedRefundError)
        throw new PaymentProblem(`Alipay returned ${error}`, !unclearErrorCodes.has(error))
      return { status: 'done', reference: refundKey }
    },
    // The gateway has no query of a refund. It refuses a name that was used (`repeatedRefundError`), so the request can be sent again.
    queryRefund: async () => null,
    async readRefunds(attempt) {
      const queriedTrade = await queryTrade(attempt)
      // A paid trade is closed when all its money was refunded.
      const total = queriedTrade?.payment.status === 'closed' ? queriedTrade.payment.amount : queriedTrade?.refunded
      return { refunds: [], total: total ?? 0n }
    },
    listRecentRefunds: async () => [],
    readDisputes: async () => [],
    close: createClose(query, (attempt) => callAlipay('close_trade', attempt)),
    ...createNoticeReader(verifyForm, (fields) => !fields.has('app_id')),
  }
}

/** Returns the text to sign: non-empty fields sorted by name, not URL-encoded. */
const formatForSigning = (fields: AlipayForm) =>
  Object.keys(fields)
    .filter((name) => fields[name] !== '')
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')

export const signFields = (fields: AlipayForm, privateKey: string): string =>
  createSign('RSA-SHA256').update(formatForSigning(fields), 'utf8').sign(privateKey, 'base64')

export const isSigned = (fields: AlipayForm, sign: string, publicKey: string): boolean =>
  createVerify('RSA-SHA256').update(formatForSigning(fields), 'utf8').verify(publicKey, sign, 'base64')
