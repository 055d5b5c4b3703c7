import { createSign } from 'node:crypto'
import { readAmount, writeAmount } from '#domain/money.ts'
import { formatAlipayTime } from '#server/drivers/payment/alipay-trade.ts'
import { withQuery } from '#server/drivers/payment/payment-driver.ts'
import { isSigned, signFields } from '#server/drivers/payment/global-alipay.ts'
import { isAlipayAmount } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type AlipayGatewayName,
  sumSandboxRefunds,
  type SandboxStore,
  type AlipayTrade,
  type WebhookCall,
} from '#demo/payment-sandbox/sandbox-store.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import { createId } from '#demo/payment-sandbox/card-payments.ts'
import type { SandboxKeys } from '#demo/payment-sandbox/keys.ts'

type Fields = Record<string, string>

/** Notice about a refund on Alipay's own pages: with its name, without it, or with a name that queries do not find yet. */
export type RefundNoticeForm = 'named' | 'unnamed' | 'hidden'

interface AlipayContext {
  store: SandboxStore
  webhooks: WebhookSender
  keys: SandboxKeys
  clock: () => number
}

export class AlipayApi {
  readonly #context: AlipayContext

  constructor(context: AlipayContext) {
    this.#context = context
  }

  /** Creates the trade or returns the stored one. Returns null if signature or fields are invalid, or if a stored trade differs. */
  openTrade(gateway: AlipayGatewayName, fields: Fields): AlipayTrade | null {
    const { store, keys, clock } = this.#context
    const tradeRequest = isSignedByShop(gateway, fields, keys) ? parseTradeRequest(gateway, fields) : null
    if (!tradeRequest) return null
    const id = `${gateway}:${tradeRequest.outTradeNo}`
    const existingTrade = store.get('trades', id)
    if (existingTrade) {
      const isSame = existingTrade.amount === tradeRequest.amount && existingTrade.currency === tradeRequest.currency
      return isSame ? existingTrade : null
    }
    const created = clock()
    const day = formatAlipayTime(created).slice(0, 10).replaceAll('-', '')
    const tradeNo = `${day}22001${String(store.list('trades').length + 1).padStart(15, '0')}`
    const alipayTrade: AlipayTrade = { ...tradeRequest, id, gate: gateway, tradeNo, status: 'WAIT_BUYER_PAY', created }
    store.put({ trades: [alipayTrade] })
    return alipayTrade
  }

  handleRequest(gateway: AlipayGatewayName, fields: Fields): string {
    return (gateway === 'alipay' ? handleAlipayRequest : handleGlobalRequest)(this.#context, fields)
  }

  payTrade(alipayTrade: AlipayTrade): AlipayTrade {
    const { store } = this.#context
    const storedTrade = store.get('trades', alipayTrade.id) ?? alipayTrade
    if (storedTrade.status !== 'WAIT_BUYER_PAY') return storedTrade
    const paidTrade: AlipayTrade = { ...storedTrade, status: 'TRADE_SUCCESS' }
    store.put({ trades: [paidTrade], calls: [composeNotice(this.#context, paidTrade, {})] })
    return paidTrade
  }

  /** URL to which the payer returns after the payment: the shop's return URL with fields that Alipay signs. */
  buildReturnUrl(alipayTrade: AlipayTrade): string {
    const extraFields: Fields =
      alipayTrade.gate === 'globalAlipay'
        ? { is_success: 'T' }
        : { method: 'alipay.trade.page.pay.return', timestamp: this.#getTimestamp() }
    return withQuery(alipayTrade.returnUrl, buildSignedFields(this.#context, alipayTrade, extraFields))
  }

  /** Refunds a trade on Alipay's own pages, under a name that Alipay chooses. Returns false if so much is not left. */
  refundByHand(alipayTrade: AlipayTrade, amount: number, form: RefundNoticeForm): boolean {
    const storedTrade = this.#context.store.get('trades', alipayTrade.id) ?? alipayTrade
    const amountText = writeAmount(BigInt(amount))
    return refundTrade(this.#context, storedTrade, { name: createId('byhand'), amountText, form }) === 'done'
  }

  #getTimestamp(): string {
    return formatAlipayTime(this.#context.clock())
  }
}

/** Builds a notice about the trade, which the gateway signs. */
function composeNotice(context: AlipayContext, alipayTrade: AlipayTrade, extraFields: Fields): WebhookCall {
  const { webhooks, clock } = context
  const { gate: gateway, notifyUrl: url, status, subject, passback } = alipayTrade
  const notice = buildSignedFields(context, alipayTrade, {
    notify_id: createId('notify'),
    notify_type: 'trade_status_sync',
    notify_time: formatAlipayTime(clock()),
    trade_status: status,
    subject,
    ...(passback ? { passback_params: passback } : {}),
    ...extraFields,
  })
  const body = new URLSearchParams(notice).toString()
  return webhooks.compose({ id: createId('call'), gate: gateway, url, body })
}

/** Fields of a notice about a refund: the sum of all refunds, and the name of this one. The cross-border gateway gives no name. */
function buildRefundFields(
  { clock }: AlipayContext,
  { gate: gateway }: AlipayTrade,
  { name, sum, form }: { name: string; sum: number; form: RefundNoticeForm },
): Fields {
  const gmt_refund = formatAlipayTime(clock())
  return gateway === 'alipay'
    ? { gmt_refund, refund_fee: writeAmount(BigInt(sum)), ...(form === 'unnamed' ? {} : { out_biz_no: name }) }
    : { gmt_refund, refund_status: 'REFUND_SUCCESS' }
}

function buildSignedFields({ keys }: AlipayContext, alipayTrade: AlipayTrade, extraFields: Fields): Fields {
  const amount = writeAmount(BigInt(alipayTrade.amount))
  const gatewayFields: Fields =
    alipayTrade.gate === 'alipay'
      ? {
          app_id: keys.appId,
          auth_app_id: keys.appId,
          version: '1.0',
          charset: 'utf-8',
          total_amount: amount,
          seller_id: keys.sellerId,
        }
      : {
          currency: alipayTrade.currency,
          total_fee: amount,
          trade_status: alipayTrade.status,
          seller_id: keys.partner,
        }
  const fields = {
    ...gatewayFields,
    out_trade_no: alipayTrade.outTradeNo,
    trade_no: alipayTrade.tradeNo,
    ...extraFields,
  }
  return { ...fields, sign_type: 'RSA2', sign: signFields(fields, keys.gateway.privateKey) }
}

function isSignedByShop(gateway: AlipayGatewayName, { sign = '', ...fields }: Fields, keys: SandboxKeys): boolean {
  const { sign_type, ...fieldsWithoutType } = fields
  if (sign_type !== 'RSA2') return false
  // The open platform includes `sign_type` in the signature.
  return gateway === 'alipay'
    ? fields.app_id === keys.appId && isSigned(fields, sign, keys.shop.publicKey)
    : fields.partner === keys.partner && isSigned(fieldsWithoutType, sign, keys.shop.publicKey)
}

type TradeHandler<Response> = (context: AlipayContext, alipayTrade: AlipayTrade, params: Fields) => Response

const queryTrade: TradeHandler<Fields> = (_, alipayTrade) => ({
  ...successFields,
  ...toTradeFields(alipayTrade),
  total_amount: writeAmount(BigInt(alipayTrade.amount)),
})

const alipayHandlers: Record<string, TradeHandler<Fields>> = {
  'alipay.trade.query': queryTrade,
  'alipay.trade.close': (context, alipayTrade, params) =>
    closeTrade(context, alipayTrade)
      ? queryTrade(context, alipayTrade, params)
      : buildRefusal('40004', 'ACQ.TRADE_STATUS_ERROR'),
  'alipay.trade.refund': (context, alipayTrade, { out_request_no: name = '', refund_amount = '' }) => {
    const outcome = refundTrade(context, alipayTrade, { name, amountText: refund_amount })
    if (outcome === 'refused') return buildRefusal('40004', 'ACQ.TRADE_HAS_CLOSE')
    if (outcome === 'discordant') return buildRefusal('40004', 'ACQ.DISCORDANT_REPEAT_REQUEST')
    const fund_change = outcome === 'done' ? 'Y' : 'N'
    return { ...successFields, ...toTradeFields(alipayTrade), out_request_no: name, fund_change }
  },
  'alipay.trade.fastpay.refund.query': ({ store }, alipayTrade, { out_request_no: name = '' }) => {
    const refund = store.get('refunds', `alipay:${name}`)
    if (refund?.of !== alipayTrade.id || refund.isHidden) return successFields
    return {
      ...successFields,
      ...toTradeFields(alipayTrade),
      out_request_no: name,
      refund_amount: writeAmount(BigInt(refund.amount)),
      total_amount: writeAmount(BigInt(alipayTrade.amount)),
      refund_status: 'REFUND_SUCCESS',
    }
  },
}

function handleAlipayRequest(context: AlipayContext, fields: Fields): string {
  const { method = '' } = fields
  const params = parseBizContent(fields)
  const alipayTrade = context.store.get('trades', `alipay:${params.out_trade_no}`)
  if (!isSignedByShop('alipay', fields, context.keys))
    return signResponse(method, buildRefusal('40002', 'isv.invalid-signature'), context.keys)
  const responseFields = alipayTrade
    ? (alipayHandlers[method] ?? queryTrade)(context, alipayTrade, params)
    : buildRefusal('40004', 'ACQ.TRADE_NOT_EXIST')
  return signResponse(method, responseFields, context.keys)
}

const successXml = '<alipay><is_success>T</is_success></alipay>'
const toErrorXml = (error: string) => `<alipay><is_success>F</is_success><error>${error}</error></alipay>`

const globalHandlers: Record<string, TradeHandler<string>> = {
  single_trade_query: toXmlResponse,
  close_trade: (context, alipayTrade) =>
    closeTrade(context, alipayTrade) ? successXml : toErrorXml('TRADE_STATUS_NOT_AVAILD'),
  forex_refund: (context, alipayTrade, { out_return_no = '', return_amount = '' }) => {
    const outcome = refundTrade(context, alipayTrade, { name: out_return_no, amountText: return_amount })
    return outcome === 'done' ? successXml : toErrorXml(globalRefundErrors[outcome])
  },
}

const globalRefundErrors = {
  repeated: 'REPEATED_REFUNDMENT_REQUEST',
  discordant: 'DISCORDANT_REPEAT_REQUEST',
  refused: 'RETURN_AMOUNT_EXCEED',
} as const

function handleGlobalRequest(context: AlipayContext, fields: Fields): string {
  const { service = '' } = fields
  if (!isSignedByShop('globalAlipay', fields, context.keys)) return toErrorXml('ILLEGAL_SIGN')
  const alipayTrade = context.store.get('trades', `globalAlipay:${fields.out_trade_no ?? fields.out_order_no}`)
  if (!alipayTrade) return toErrorXml(service === 'forex_refund' ? 'PURCHASE_TRADE_NOT_EXIST' : 'TRADE_NOT_EXIST')
  return (globalHandlers[service] ?? toXmlResponse)(context, alipayTrade, fields)
}

function closeTrade({ store }: AlipayContext, alipayTrade: AlipayTrade): boolean {
  if (alipayTrade.status !== 'WAIT_BUYER_PAY') return false
  store.put({ trades: [{ ...alipayTrade, status: 'TRADE_CLOSED' }] })
  return true
}

/**
 * Refunds a trade once per refund name of the shop, and notifies the shop. Returns `repeated` if the name was already used for the same
 * amount of the same trade, and `discordant` if it was used for something else.
 */
export function refundTrade(
  context: AlipayContext,
  alipayTrade: AlipayTrade,
  { name, amountText, form = 'named' }: { name: string; amountText: string; form?: RefundNoticeForm },
): 'done' | 'repeated' | 'discordant' | 'refused' {
  const { store, clock } = context
  const id = `${alipayTrade.gate}:${name}`
  const amount = parseAmount(amountText) ?? 0
  const earlierRefund = store.get('refunds', id)
  if (earlierRefund)
    return earlierRefund.of === alipayTrade.id && earlierRefund.amount === amount ? 'repeated' : 'discordant'
  const refundableAmount = alipayTrade.amount - sumSandboxRefunds(store, alipayTrade.id)
  if (alipayTrade.status !== 'TRADE_SUCCESS' || amount === 0 || amount > refundableAmount) return 'refused'
  const { gate: gateway, currency } = alipayTrade
  const isComplete = amount === refundableAmount
  const refundedTrade: AlipayTrade = isComplete ? { ...alipayTrade, status: 'TRADE_CLOSED' } : alipayTrade
  const sum = alipayTrade.amount - refundableAmount + amount
  const of = alipayTrade.id
  store.put({
    refunds: [{ id, gate: gateway, of, created: clock(), amount, currency, metadata: {}, isHidden: form === 'hidden' }],
    calls: [composeNotice(context, refundedTrade, buildRefundFields(context, refundedTrade, { name, sum, form }))],
    ...(isComplete ? { trades: [refundedTrade] } : {}),
  })
  context.webhooks.wake()
  return 'done'
}

const parseBizContent = (fields: Fields): Fields => JSON.parse(fields.biz_content ?? '{}') as Fields

/** Returns the amount in hundredths, or null if the text is malformed. */
const parseAmount = (text: string): number | null => (/^\d{1,9}\.\d\d$/.test(text) ? Number(readAmount(text)) : null)

type TradeRequest = Omit<AlipayTrade, 'id' | 'gate' | 'tradeNo' | 'status' | 'created'>

function parseTradeRequest(gateway: AlipayGatewayName, fields: Fields): TradeRequest | null {
  const params = gateway === 'alipay' ? parseBizContent(fields) : fields
  const amount = parseAmount(params[gateway === 'alipay' ? 'total_amount' : 'total_fee'] ?? '')
  const { out_trade_no: outTradeNo, subject } = params
  if (!outTradeNo || !subject || amount === null || !isAlipayAmount(gateway, amount)) return null
  return {
    outTradeNo,
    subject,
    amount,
    currency: gateway === 'alipay' ? 'CNY' : (fields.currency ?? ''),
    passback: params.passback_params ?? null,
    notifyUrl: fields.notify_url ?? '',
    returnUrl: fields.return_url ?? '',
    quitUrl: params.quit_url ?? null,
  }
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

function toXmlResponse({ store, keys: { gateway, partner } }: AlipayContext, alipayTrade: AlipayTrade): string {
  const fields: Fields = {
    ...toTradeFields(alipayTrade),
    currency: alipayTrade.currency,
    total_fee: writeAmount(BigInt(alipayTrade.amount)),
    to_buyer_fee: writeAmount(BigInt(sumSandboxRefunds(store, alipayTrade.id))),
    seller_id: partner,
    subject: alipayTrade.subject,
  }
  const sign = signFields(fields, gateway.privateKey)
  const elements = Object.entries(fields).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?>
<alipay><is_success>T</is_success><response><trade>${elements.join('')}</trade></response><sign>${sign}</sign><sign_type>RSA2</sign_type></alipay>`
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
