/** Both of Alipay's gateways: the signed address that opens a trade, the questions about it, and what is told of it. */
import { createSign } from 'node:crypto'
import { readAmount, writeAmount } from '#domain/money.ts'
import { formatAlipayTime } from '#server/drivers/payment/alipay-trade.ts'
import { withQuery } from '#server/drivers/payment/payment-driver.ts'
import { isSigned, signFields } from '#server/drivers/payment/global-alipay.ts'
import { isAlipayAmount } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type AlipayGatewayName,
  type SandboxRefund,
  sumSandboxRefunds,
  type SandboxStore,
  type AlipayTrade,
} from '#demo/payment-sandbox/sandbox-store.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import { createId } from '#demo/payment-sandbox/card-payments.ts'
import type { SandboxKeys } from '#demo/payment-sandbox/keys.ts'

type Fields = Record<string, string>

export interface AlipayApi {
  /** A browser came with a signed address; null: its signature is wrong, or it says something else than it did before. */
  openTrade(gateway: AlipayGatewayName, fields: Fields): AlipayTrade | null
  /** A question of the shop, with the answer's text. */
  handleRequest(gateway: AlipayGatewayName, fields: Fields): string
  payTrade(alipayTrade: AlipayTrade): AlipayTrade
  /** Where the payer goes when it is paid: the shop's address with what Alipay signs. */
  buildReturnUrl(alipayTrade: AlipayTrade): string
}

export function createAlipayApi(
  store: SandboxStore,
  webhooks: WebhookSender,
  keys: SandboxKeys,
  clock: () => number,
): AlipayApi {
  const getTimestamp = () => formatAlipayTime(clock())
  const shopIds = { alipay: keys.sellerId, globalAlipay: keys.partner }

  function isSignedByShop(gateway: AlipayGatewayName, fields: Fields): boolean {
    const { sign = '', ...unsignedFields } = fields
    if (gateway === 'globalAlipay') {
      const { sign_type, ...signedFields } = unsignedFields
      return (
        sign_type === 'RSA2' &&
        unsignedFields.partner === keys.partner &&
        isSigned(signedFields, sign, keys.shop.publicKey)
      )
    }
    // On the open platform a request's signature covers its kind as well.
    return (
      unsignedFields.sign_type === 'RSA2' &&
      unsignedFields.app_id === keys.appId &&
      isSigned(unsignedFields, sign, keys.shop.publicKey)
    )
  }

  /** What both the call and the browser carry. */
  function buildSignedFields(alipayTrade: AlipayTrade, extraFields: Fields): Fields {
    const amount = writeAmount(BigInt(alipayTrade.amount))
    const commonFields = {
      out_trade_no: alipayTrade.outTradeNo,
      trade_no: alipayTrade.tradeNo,
      seller_id: shopIds[alipayTrade.gate],
      ...extraFields,
    }
    const fields: Fields =
      alipayTrade.gate === 'alipay'
        ? {
            app_id: keys.appId,
            auth_app_id: keys.appId,
            version: '1.0',
            charset: 'utf-8',
            total_amount: amount,
            ...commonFields,
          }
        : { currency: alipayTrade.currency, total_fee: amount, trade_status: alipayTrade.status, ...commonFields }
    return { ...fields, sign_type: 'RSA2', sign: signFields(fields, keys.gateway.privateKey) }
  }

  const buildNotice = (alipayTrade: AlipayTrade): Fields =>
    buildSignedFields(alipayTrade, {
      notify_id: createId('notify'),
      notify_type: 'trade_status_sync',
      notify_time: getTimestamp(),
      trade_status: alipayTrade.status,
      subject: alipayTrade.subject,
      ...(alipayTrade.passback ? { passback_params: alipayTrade.passback } : {}),
    })

  function closeTrade(alipayTrade: AlipayTrade): void {
    store.put({ trades: [{ ...alipayTrade, status: 'TRADE_CLOSED' }] })
  }

  /** Gives back what is asked for, once for each name that the shop has for it; the second time it is said to be done. */
  function refundTrade(alipayTrade: AlipayTrade, name: string, amount: string): 'done' | 'repeated' | 'refused' {
    const id = `${alipayTrade.gate}:${name}`
    if (store.get('refunds', id)) return 'repeated'
    const refundableAmount = alipayTrade.amount - sumSandboxRefunds(store, alipayTrade.id)
    const refundAmount = /^\d{1,9}\.\d\d$/.test(amount) ? Number(readAmount(amount)) : 0
    if (alipayTrade.status !== 'TRADE_SUCCESS' || refundAmount === 0 || refundAmount > refundableAmount)
      return 'refused'
    const refund: SandboxRefund = {
      id,
      gate: alipayTrade.gate,
      of: alipayTrade.id,
      created: clock(),
      amount: refundAmount,
      currency: alipayTrade.currency,
      metadata: {},
    }
    store.put({
      refunds: [refund],
      ...(refundAmount === refundableAmount ? { trades: [{ ...alipayTrade, status: 'TRADE_CLOSED' as const }] } : {}),
    })
    return 'done'
  }

  function handleRefund(gateway: AlipayGatewayName, fields: Fields): string {
    const isAuthentic = isSignedByShop(gateway, fields)
    const params = gateway === 'alipay' ? parseBizContent(fields) : fields
    const alipayTrade = store.get('trades', `${gateway}:${params.out_trade_no}`)
    if (gateway === 'globalAlipay') {
      const toErrorXml = (error: string) => `<alipay><is_success>F</is_success><error>${error}</error></alipay>`
      if (!isAuthentic) return toErrorXml('ILLEGAL_SIGN')
      if (!alipayTrade) return toErrorXml('PURCHASE_TRADE_NOT_EXIST')
      const outcome = refundTrade(alipayTrade, params.out_return_no ?? '', params.return_amount ?? '')
      if (outcome === 'done') return '<alipay><is_success>T</is_success></alipay>'
      return toErrorXml(outcome === 'repeated' ? 'REPEATED_REFUNDMENT_REQUEST' : 'RETURN_AMOUNT_EXCEED')
    }
    const method = fields.method ?? ''
    const name = params.out_request_no ?? ''
    if (!isAuthentic) return signResponse(method, buildRefusal('40002', 'isv.invalid-signature'), keys)
    if (!alipayTrade) return signResponse(method, buildRefusal('40004', 'ACQ.TRADE_NOT_EXIST'), keys)
    const existingRefund = store.get('refunds', `${gateway}:${name}`)
    const refundFields = { ...toTradeFields(alipayTrade), out_request_no: name }
    if (method.endsWith('query'))
      return signResponse(
        method,
        { ...successFields, ...(existingRefund ? { ...refundFields, refund_status: 'REFUND_SUCCESS' } : {}) },
        keys,
      )
    const outcome = refundTrade(alipayTrade, name, params.refund_amount ?? '')
    if (outcome === 'refused') return signResponse(method, buildRefusal('40004', 'ACQ.TRADE_HAS_CLOSE'), keys)
    return signResponse(
      method,
      { ...successFields, ...refundFields, fund_change: outcome === 'done' ? 'Y' : 'N' },
      keys,
    )
  }

  return {
    openTrade(gateway, fields) {
      const tradeRequest = isSignedByShop(gateway, fields) ? parseTradeRequest(gateway, fields) : null
      if (!tradeRequest) return null
      const id = `${gateway}:${tradeRequest.outTradeNo}`
      const existingTrade = store.get('trades', id)
      if (existingTrade)
        return existingTrade.amount === tradeRequest.amount && existingTrade.currency === tradeRequest.currency
          ? existingTrade
          : null
      const created = clock()
      const tradeNo = `${getTimestamp().slice(0, 10).replaceAll('-', '')}22001${String(store.list('trades').length + 1).padStart(15, '0')}`
      const alipayTrade: AlipayTrade = {
        ...tradeRequest,
        id,
        gate: gateway,
        tradeNo,
        status: 'WAIT_BUYER_PAY',
        created,
      }
      store.put({ trades: [alipayTrade] })
      return alipayTrade
    },
    handleRequest(gateway, fields) {
      if (/refund/.test(fields.method ?? fields.service ?? '')) return handleRefund(gateway, fields)
      const name =
        gateway === 'alipay' ? parseBizContent(fields).out_trade_no : (fields.out_trade_no ?? fields.out_order_no)
      const alipayTrade = store.get('trades', `${gateway}:${name}`)
      const verb = (fields.method ?? fields.service ?? '').includes('close') ? 'close' : 'query'
      const isAuthentic = isSignedByShop(gateway, fields)
      const isClosed = isAuthentic && verb === 'close' && alipayTrade?.status === 'WAIT_BUYER_PAY'
      if (isClosed) closeTrade(alipayTrade)
      if (gateway === 'globalAlipay')
        return toXmlResponse(isAuthentic ? alipayTrade : 'ILLEGAL_SIGN', verb, isClosed, keys)
      return toJsonResponse(
        fields.method ?? '',
        isAuthentic ? alipayTrade : 'isv.invalid-signature',
        verb,
        isClosed,
        keys,
      )
    },
    payTrade(alipayTrade) {
      const storedTrade = store.get('trades', alipayTrade.id) ?? alipayTrade
      if (storedTrade.status !== 'WAIT_BUYER_PAY') return storedTrade
      const paidTrade: AlipayTrade = { ...storedTrade, status: 'TRADE_SUCCESS' }
      const body = new URLSearchParams(buildNotice(paidTrade)).toString()
      const call = webhooks.compose({ id: createId('call'), gate: paidTrade.gate, url: paidTrade.notifyUrl, body })
      store.put({ trades: [paidTrade], calls: [call] })
      return paidTrade
    },
    buildReturnUrl(alipayTrade) {
      if (alipayTrade.gate === 'globalAlipay')
        return withQuery(alipayTrade.returnUrl, buildSignedFields(alipayTrade, { is_success: 'T' }))
      return withQuery(
        alipayTrade.returnUrl,
        buildSignedFields(alipayTrade, { method: 'alipay.trade.page.pay.return', timestamp: getTimestamp() }),
      )
    },
  }
}

const parseBizContent = (fields: Fields): Fields => JSON.parse(fields.biz_content ?? '{}') as Fields

type TradeRequest = Omit<AlipayTrade, 'id' | 'gate' | 'tradeNo' | 'status' | 'created'>

/** Null: not a whole order. */
function parseTradeRequest(gateway: AlipayGatewayName, fields: Fields): TradeRequest | null {
  const params = gateway === 'alipay' ? parseBizContent(fields) : fields
  const total = gateway === 'alipay' ? params.total_amount : params.total_fee
  const { out_trade_no: outTradeNo, subject } = params
  if (!outTradeNo || !subject || !total || !/^\d{1,9}\.\d\d$/.test(total)) return null
  if (!isAlipayAmount(gateway, Number(readAmount(total)))) return null
  return {
    outTradeNo,
    subject,
    amount: Number(readAmount(total)),
    currency: gateway === 'alipay' ? 'CNY' : (fields.currency ?? ''),
    passback: params.passback_params ?? null,
    notifyUrl: fields.notify_url ?? '',
    returnUrl: fields.return_url ?? '',
    quitUrl: params.quit_url ?? null,
  }
}

/** A trade, that there is none, or why the question is refused. */
type TradeLookup = AlipayTrade | null | string

function toJsonResponse(
  method: string,
  lookup: TradeLookup,
  verb: string,
  isClosed: boolean,
  keys: SandboxKeys,
): string {
  const responseFields =
    typeof lookup === 'string'
      ? buildRefusal('40002', lookup)
      : lookup === null
        ? buildRefusal('40004', 'ACQ.TRADE_NOT_EXIST')
        : verb === 'close' && !isClosed
          ? buildRefusal('40004', 'ACQ.TRADE_STATUS_ERROR')
          : { ...successFields, ...toTradeFields(lookup), total_amount: writeAmount(BigInt(lookup.amount)) }
  return signResponse(method, responseFields, keys)
}

const successFields = { code: '10000', msg: 'Success' }
const buildRefusal = (code: '40002' | '40004', subCode: string) => ({
  code,
  msg: code === '40002' ? 'Invalid Arguments' : 'Business Failed',
  sub_code: subCode,
  sub_msg: subCode,
})

function signResponse(method: string, responseFields: Fields, { gateway }: SandboxKeys): string {
  const content = JSON.stringify(responseFields)
  const sign = createSign('RSA-SHA256').update(content, 'utf8').sign(gateway.privateKey, 'base64')
  return `{"${method.replaceAll('.', '_')}_response":${content},"sign":"${sign}"}`
}

const toTradeFields = ({ outTradeNo, tradeNo, status }: AlipayTrade) => ({
  out_trade_no: outTradeNo,
  trade_no: tradeNo,
  trade_status: status,
})

function toXmlResponse(
  lookup: TradeLookup,
  verb: string,
  isClosed: boolean,
  { gateway, partner }: SandboxKeys,
): string {
  const toErrorXml = (error: string) => `<alipay><is_success>F</is_success><error>${error}</error></alipay>`
  if (typeof lookup === 'string') return toErrorXml(lookup)
  if (lookup === null) return toErrorXml('TRADE_NOT_EXIST')
  if (verb === 'close')
    return isClosed ? '<alipay><is_success>T</is_success></alipay>' : toErrorXml('TRADE_STATUS_NOT_AVAILD')
  const total_fee = writeAmount(BigInt(lookup.amount))
  const fields: Fields = {
    ...toTradeFields(lookup),
    currency: lookup.currency,
    total_fee,
    seller_id: partner,
    subject: lookup.subject,
  }
  const sign = signFields(fields, gateway.privateKey)
  const elements = Object.entries(fields).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?>
<alipay><is_success>T</is_success><response><trade>${elements.join('')}</trade></response><sign>${sign}</sign><sign_type>RSA2</sign_type></alipay>`
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
