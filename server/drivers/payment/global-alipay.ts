/**
 * Alipay for other currencies: the cross-border gateway (`create_forex_trade`), which no SDK speaks. A request is its
 * fields in order of their names, signed with RSA2; answers are XML, signed likewise.
 */
import { createSign, createVerify } from 'node:crypto'
import { writeAmount } from '#domain/money.ts'
import { requireFit } from '#server/drivers/payment/alipay.ts'
import {
  closing,
  type FormOfAlipay,
  hearing,
  hundredthsOf,
  statusOfTrade,
  timestampOfAlipay,
} from '#server/drivers/payment/alipay-trade.ts'
import { readFlatXml } from '#server/drivers/payment/flat-xml.ts'
import { type Asked, type Payment, type PaymentDriver, withQuery } from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { GlobalAlipaySettings } from '#server/config/payment-config.ts'

/** In ms. */
const timeout = 20_000

const products = {
  desktop: { service: 'create_forex_trade', product_code: 'NEW_OVERSEAS_SELLER' },
  phone: { service: 'create_forex_trade_wap', product_code: 'NEW_WAP_OVERSEAS_SELLER' },
} as const

/** It had this very refund before. */
const repeatedRefund = 'REPEATED_REFUNDMENT_REQUEST'
/** After these nobody knows whether it was done. */
const unclearErrors = new Set(['SYSTEM_ERROR', 'no'])

/** `notifyUrl`: where Alipay calls us. */
export function globalAlipayPayment(
  settings: GlobalAlipaySettings,
  notifyUrl: string,
  clock: () => number,
): PaymentDriver {
  const { partner, privateKey, publicKey, gatewayUrl } = settings
  const signed = (fields: FormOfAlipay): FormOfAlipay => {
    const all = { partner, _input_charset: 'UTF-8', ...fields }
    return { ...all, sign: signFields(all, privateKey), sign_type: 'RSA2' }
  }

  async function ask(service: string, { key }: Asked, more: FormOfAlipay = {}): Promise<FormOfAlipay> {
    const body = new URLSearchParams(signed({ service, out_trade_no: key, out_order_no: key, ...more }))
    const url = `${gatewayUrl}?_input_charset=UTF-8`
    const signal = AbortSignal.timeout(timeout)
    const answer = await fetch(url, { method: 'POST', body, redirect: 'error', signal }).catch(() => null)
    const text = answer?.ok ? await answer.text().catch(() => null) : null
    if (text === null) throw new PaymentProblem(`Alipay was not understood (${answer?.status ?? 'no answer'})`, false)
    return readFlatXml(text)
  }

  async function query(asked: Asked): Promise<Payment | null> {
    const { is_success, error, sign = '', sign_type, ...fields } = await ask('single_trade_query', asked)
    if (is_success !== 'T') {
      if (error === 'TRADE_NOT_EXIST') return null
      throw new PaymentProblem(`Alipay said ${error ?? 'no'}`, false)
    }
    if (sign_type !== 'RSA2' || !isSigned(fields, sign, publicKey))
      throw new PaymentProblem('the signature of an answer of Alipay is wrong', false)
    return {
      key: fields.out_trade_no ?? '',
      gatewayId: fields.trade_no ?? '',
      status: statusOfTrade(fields.trade_status ?? ''),
      // Where both are named, the plain one is what the payer paid in RMB. Without a currency it is nobody's due.
      amount: hundredthsOf(fields.forex_total_fee ?? fields.total_fee ?? ''),
      currency: fields.currency ?? '',
    }
  }

  function verified(form: FormOfAlipay): void {
    const { sign = '', sign_type, ...fields } = form
    // Alipay may sign for other shops with this key too, and names none here: the query asks as ourselves.
    if (sign_type !== 'RSA2' || !isSigned(fields, sign, publicKey)) throw new NoticeProblem('signature')
    if ((form.seller_id ?? partner) !== partner) throw new NoticeProblem('account')
  }

  return {
    async begin(beginning) {
      requireFit(beginning, ['HKD', 'USD'])
      const { key, money, description, returnUrl, device } = beginning
      const fields = signed({
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
      const { is_success, error = 'no' } = await ask('forex_refund', payment, {
        out_return_no: refundKey,
        return_amount: writeAmount(amount),
        currency,
        gmt_return: timestampOfAlipay(clock()),
        reason,
        is_sync: 'Y',
      })
      if (is_success !== 'T' && error !== repeatedRefund)
        throw new PaymentProblem(`Alipay said ${error}`, !unclearErrors.has(error))
      return { status: 'done', reference: refundKey }
    },
    async queryRefund({ payment, refundKey }) {
      // There is no question about a refund: what was paid and is closed was given back.
      return (await query(payment))?.status === 'closed' ? { status: 'done', reference: refundKey } : null
    },
    close: closing(query, (asked) => ask('close_trade', asked)),
    ...hearing(verified, (fields) => !fields.has('app_id')),
  }
}

/** As it is signed: fields that say something, by name, not escaped. */
const inOrder = (fields: FormOfAlipay) =>
  Object.keys(fields)
    .filter((name) => fields[name] !== '')
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')

export const signFields = (fields: FormOfAlipay, privateKey: string): string =>
  createSign('RSA-SHA256').update(inOrder(fields), 'utf8').sign(privateKey, 'base64')

export const isSigned = (fields: FormOfAlipay, sign: string, publicKey: string): boolean =>
  createVerify('RSA-SHA256').update(inOrder(fields), 'utf8').verify(publicKey, sign, 'base64')
