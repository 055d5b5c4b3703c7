import { type Hundredths, readAmount } from '#domain/money.ts'
import type {
  PaymentAttempt,
  PaymentNotice,
  GatewayPayment,
  PaymentDriver,
} from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'

export type AlipayForm = Record<string, string>

/** Reads a form. Throws NoticeProblem for repeated fields, because they could be interpreted in two ways. */
function readForm(raw: Buffer): AlipayForm {
  const fields = [...new URLSearchParams(raw.toString('utf8'))]
  const form = Object.fromEntries(fields)
  if (fields.length === 0 || Object.keys(form).length !== fields.length) throw new NoticeProblem('form')
  return form
}

/** Returns the form, and variants in case it was encoded twice or has an unencoded `+`. This is safe, because the signature decides. */
function getFormVariants(form: AlipayForm): [AlipayForm, ...AlipayForm[]] {
  const decodedForm = mapValues(form, tryDecode)
  const isEncoded = Object.keys(form).some((name) => decodedForm[name] !== form[name])
  const variants: [AlipayForm, ...AlipayForm[]] = [form, ...(isEncoded ? [decodedForm] : [])]
  const variantsWithSpaces = variants.filter(({ sign }) => sign?.includes(' '))
  return [
    ...variants,
    ...variantsWithSpaces.map((variant) => ({ ...variant, sign: (variant['sign'] ?? '').replaceAll(' ', '+') })),
  ]
}

const mapValues = (form: AlipayForm, change: (value: string) => string): AlipayForm =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, change(value)]))

function tryDecode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Converts a form to a notice. A form about a refund has the sum of all refunds, and usually the name of the latest one. */
function toNotice(form: AlipayForm): PaymentNotice & { key: string } {
  const { out_trade_no: key, trade_no: gatewayId, notify_id, out_biz_no: refundName } = form
  if (!key || !gatewayId) throw new NoticeProblem('form')
  const isRefund = form.refund_fee !== undefined || form.refund_status !== undefined || form.gmt_refund !== undefined
  return {
    id: notify_id ?? gatewayId,
    kind: isRefund ? 'refund' : 'payment',
    key,
    gatewayId,
    refundNames: isRefund && refundName ? [refundName] : [],
    refundSum: isRefund && !refundName && form.refund_fee !== undefined ? readSum(form.refund_fee) : null,
  }
}

function readSum(amount: string): Hundredths {
  try {
    return readAmount(amount)
  } catch {
    throw new NoticeProblem('form')
  }
}

/** Both gateways use the same notices. `isOwnReturn` checks whether the fields of a returning browser are from this gateway. */
export function createNoticeReader(
  verify: (form: AlipayForm) => void | Promise<void>,
  isOwnReturn: (fields: URLSearchParams) => boolean,
): Pick<PaymentDriver, 'readNotice' | 'readReturn' | 'acknowledgement'> {
  const readVerifiedForm = async (form: AlipayForm) => {
    const [firstVariant, ...otherVariants] = getFormVariants(form)
    try {
      await verify(firstVariant)
      return toNotice(firstVariant)
    } catch (error) {
      for (const variant of otherVariants) if (await isVerified(variant)) return toNotice(variant)
      throw error
    }
  }
  const isVerified = async (form: AlipayForm) => {
    try {
      await verify(form)
      return true
    } catch {
      return false
    }
  }
  return {
    readNotice: async (raw) => await readVerifiedForm(readForm(raw)),
    readReturn: async (fields) =>
      fields.has('sign') && isOwnReturn(fields) ? await readVerifiedForm(Object.fromEntries(fields)) : null,
    acknowledgement: 'success',
  }
}

/**
 * Creates the function that closes a trade. If the trade is paid at the same moment, closing fails, and the second query returns the
 * payment.
 */
export const createClose =
  (query: PaymentDriver['query'], closeTrade: (attempt: PaymentAttempt) => Promise<unknown>): PaymentDriver['close'] =>
  async (attempt) => {
    const payment = await query(attempt)
    if (payment?.status !== 'open') return payment
    await closeTrade(attempt)
    return await query(attempt)
  }

const statusesByTradeStatus: Record<string, GatewayPayment['status']> = {
  WAIT_BUYER_PAY: 'open',
  TRADE_SUCCESS: 'paid',
  TRADE_FINISHED: 'paid',
  TRADE_CLOSED: 'closed',
}

export const toPaymentStatus = (status: string): GatewayPayment['status'] =>
  statusesByTradeStatus[status] ?? 'processing'

export function parseHundredths(amount: string): Hundredths {
  try {
    return readAmount(amount)
  } catch {
    throw new PaymentProblem('Alipay returned an invalid amount', false)
  }
}

/** Formats a time for Alipay: in Beijing time, regardless of the server's time zone. */
export const formatAlipayTime = (now: number): string =>
  new Date(now + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
