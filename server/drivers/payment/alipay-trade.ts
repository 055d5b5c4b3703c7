/** What both of Alipay's gateways share: forms, times, amounts and the states of a trade. */
import { type Hundredths, readAmount } from '#domain/money.ts'
import type { Asked, Notice, Payment, PaymentDriver } from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'

export type FormOfAlipay = Record<string, string>

/** A field that comes twice could be read in two ways. */
function readForm(raw: Buffer): FormOfAlipay {
  const fields = [...new URLSearchParams(raw.toString('utf8'))]
  const form = Object.fromEntries(fields)
  if (fields.length === 0 || Object.keys(form).length !== fields.length) throw new NoticeProblem('form')
  return form
}

/**
 * The form as it is read, and as it is meant where a proxy or a gateway has encoded it once too often, or the `+` of the signature not
 * at all. Only what is signed counts, so there is no harm in trying.
 */
function readingsOf(form: FormOfAlipay): [FormOfAlipay, ...FormOfAlipay[]] {
  const decoded = mapValues(form, decodeAgain)
  const isEncoded = Object.keys(form).some((name) => decoded[name] !== form[name])
  const all: [FormOfAlipay, ...FormOfAlipay[]] = [form, ...(isEncoded ? [decoded] : [])]
  const signed = all.filter(({ sign }) => sign?.includes(' '))
  return [...all, ...signed.map((one) => ({ ...one, sign: (one['sign'] ?? '').replaceAll(' ', '+') }))]
}

const mapValues = (form: FormOfAlipay, change: (value: string) => string): FormOfAlipay =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, change(value)]))

function decodeAgain(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Notices about refunds and the like name a trade too; asking about it does no harm. */
function noticeOfTrade({ out_trade_no: key, trade_no: gatewayId, notify_id }: FormOfAlipay): Notice {
  if (!key || !gatewayId) throw new NoticeProblem('form')
  return { id: notify_id ?? gatewayId, key, gatewayId }
}

/** Both gateways are heard in the same way. `isOurs`: which of the two signed what a browser brought back. */
export function hearing(
  verify: (form: FormOfAlipay) => void | Promise<void>,
  isOurs: (fields: URLSearchParams) => boolean,
): Pick<PaymentDriver, 'readNotice' | 'readReturn' | 'acknowledgement'> {
  const heard = async (form: FormOfAlipay) => {
    const [first, ...others] = readingsOf(form)
    try {
      await verify(first)
      return noticeOfTrade(first)
    } catch (error) {
      for (const other of others) if (await isVerified(other)) return noticeOfTrade(other)
      throw error
    }
  }
  const isVerified = async (form: FormOfAlipay) => {
    try {
      await verify(form)
      return true
    } catch {
      return false
    }
  }
  return {
    readNotice: async (raw) => await heard(readForm(raw)),
    readReturn: async (fields) =>
      fields.has('sign') && isOurs(fields) ? await heard(Object.fromEntries(fields)) : null,
    acknowledgement: 'success',
  }
}

/** It may be paid in the very moment: then it cannot be ended, and the second answer says so. */
export const closing =
  (query: PaymentDriver['query'], end: (asked: Asked) => Promise<unknown>): PaymentDriver['close'] =>
  async (asked) => {
    const now = await query(asked)
    if (now?.status !== 'open') return now
    await end(asked)
    return await query(asked)
  }

const statuses: Record<string, Payment['status']> = {
  WAIT_BUYER_PAY: 'open',
  TRADE_SUCCESS: 'paid',
  TRADE_FINISHED: 'paid',
  TRADE_CLOSED: 'closed',
}

export const statusOfTrade = (status: string): Payment['status'] => statuses[status] ?? 'processing'

export function hundredthsOf(amount: string): Hundredths {
  try {
    return readAmount(amount)
  } catch {
    throw new PaymentProblem('Alipay named an amount that is none', false)
  }
}

/** Alipay's clocks show the time of Beijing wherever the server stands. */
export const timestampOfAlipay = (now: number): string =>
  new Date(now + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
