/** Both of Alipay's gateways: the signed address that opens a trade, the questions about it, and what is told of it. */
import { createSign } from 'node:crypto'
import { readAmount, writeAmount } from '#domain/money.ts'
import { timestampOfAlipay } from '#server/drivers/payment/alipay-trade.ts'
import { withQuery } from '#server/drivers/payment/driver.ts'
import { isSigned, signFields } from '#server/drivers/payment/global-alipay.ts'
import { isAlipayAmount } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type AlipayGate,
  type GivenBack,
  givenBack,
  type SandboxBooks,
  type Trade,
} from '#demo/payment-sandbox/payment-store.ts'
import type { Calls } from '#demo/payment-sandbox/webhooks.ts'
import { newId } from '#demo/payment-sandbox/card-payments.ts'
import type { SandboxKeys } from '#demo/payment-sandbox/keys.ts'

type Fields = Record<string, string>

export interface AlipayApi {
  /** A browser came with a signed address; null: its signature is wrong, or it says something else than it did before. */
  open(gate: AlipayGate, fields: Fields): Trade | null
  /** A question of the shop, with the answer's text. */
  answer(gate: AlipayGate, fields: Fields): string
  pay(trade: Trade): Trade
  /** Where the payer goes when it is paid: the shop's address with what Alipay signs. */
  returnTo(trade: Trade): string
}

export function alipayApi(books: SandboxBooks, calls: Calls, keys: SandboxKeys, clock: () => number): AlipayApi {
  const now = () => timestampOfAlipay(clock())
  const shop = { alipay: keys.sellerId, globalAlipay: keys.partner }

  function isFromShop(gate: AlipayGate, fields: Fields): boolean {
    const { sign = '', ...all } = fields
    if (gate === 'globalAlipay') {
      const { sign_type, ...signed } = all
      return sign_type === 'RSA2' && all.partner === keys.partner && isSigned(signed, sign, keys.shop.publicKey)
    }
    // On the open platform a request's signature covers its kind as well.
    return all.sign_type === 'RSA2' && all.app_id === keys.appId && isSigned(all, sign, keys.shop.publicKey)
  }

  /** What both the call and the browser carry. */
  function told(trade: Trade, more: Fields): Fields {
    const amount = writeAmount(BigInt(trade.amount))
    const common = { out_trade_no: trade.outTradeNo, trade_no: trade.tradeNo, seller_id: shop[trade.gate], ...more }
    const fields: Fields =
      trade.gate === 'alipay'
        ? {
            app_id: keys.appId,
            auth_app_id: keys.appId,
            version: '1.0',
            charset: 'utf-8',
            total_amount: amount,
            ...common,
          }
        : { currency: trade.currency, total_fee: amount, trade_status: trade.status, ...common }
    return { ...fields, sign_type: 'RSA2', sign: signFields(fields, keys.gateway.privateKey) }
  }

  const notice = (trade: Trade): Fields =>
    told(trade, {
      notify_id: newId('notify'),
      notify_type: 'trade_status_sync',
      notify_time: now(),
      trade_status: trade.status,
      subject: trade.subject,
      ...(trade.passback ? { passback_params: trade.passback } : {}),
    })

  function close(trade: Trade): void {
    books.put({ trades: [{ ...trade, status: 'TRADE_CLOSED' }] })
  }

  /** Gives back what is asked for, once for each name that the shop has for it; the second time it is said to be done. */
  function giveBack(trade: Trade, name: string, amount: string): 'done' | 'repeated' | 'refused' {
    const id = `${trade.gate}:${name}`
    if (books.get('refunds', id)) return 'repeated'
    const left = trade.amount - givenBack(books, trade.id)
    const sum = /^\d{1,9}\.\d\d$/.test(amount) ? Number(readAmount(amount)) : 0
    if (trade.status !== 'TRADE_SUCCESS' || sum === 0 || sum > left) return 'refused'
    const refund: GivenBack = {
      id,
      gate: trade.gate,
      of: trade.id,
      created: clock(),
      amount: sum,
      currency: trade.currency,
      metadata: {},
    }
    books.put({
      refunds: [refund],
      ...(sum === left ? { trades: [{ ...trade, status: 'TRADE_CLOSED' as const }] } : {}),
    })
    return 'done'
  }

  function answerRefund(gate: AlipayGate, fields: Fields): string {
    const isOurs = isFromShop(gate, fields)
    const asked = gate === 'alipay' ? bizOf(fields) : fields
    const trade = books.get('trades', `${gate}:${asked.out_trade_no}`)
    if (gate === 'globalAlipay') {
      const refused = (error: string) => `<alipay><is_success>F</is_success><error>${error}</error></alipay>`
      if (!isOurs) return refused('ILLEGAL_SIGN')
      if (!trade) return refused('PURCHASE_TRADE_NOT_EXIST')
      const outcome = giveBack(trade, asked.out_return_no ?? '', asked.return_amount ?? '')
      if (outcome === 'done') return '<alipay><is_success>T</is_success></alipay>'
      return refused(outcome === 'repeated' ? 'REPEATED_REFUNDMENT_REQUEST' : 'RETURN_AMOUNT_EXCEED')
    }
    const method = fields.method ?? ''
    const name = asked.out_request_no ?? ''
    if (!isOurs) return signed(method, refusedAs('40002', 'isv.invalid-signature'), keys)
    if (!trade) return signed(method, refusedAs('40004', 'ACQ.TRADE_NOT_EXIST'), keys)
    const known = books.get('refunds', `${gate}:${name}`)
    const about = { ...tradeSaid(trade), out_request_no: name }
    if (method.endsWith('query'))
      return signed(method, { ...ok, ...(known ? { ...about, refund_status: 'REFUND_SUCCESS' } : {}) }, keys)
    const outcome = giveBack(trade, name, asked.refund_amount ?? '')
    if (outcome === 'refused') return signed(method, refusedAs('40004', 'ACQ.TRADE_HAS_CLOSE'), keys)
    return signed(method, { ...ok, ...about, fund_change: outcome === 'done' ? 'Y' : 'N' }, keys)
  }

  return {
    open(gate, fields) {
      const asked = isFromShop(gate, fields) ? tradeOf(gate, fields) : null
      if (!asked) return null
      const id = `${gate}:${asked.outTradeNo}`
      const known = books.get('trades', id)
      if (known) return known.amount === asked.amount && known.currency === asked.currency ? known : null
      const created = clock()
      const tradeNo = `${now().slice(0, 10).replaceAll('-', '')}22001${String(books.all('trades').length + 1).padStart(15, '0')}`
      const trade: Trade = { ...asked, id, gate, tradeNo, status: 'WAIT_BUYER_PAY', created }
      books.put({ trades: [trade] })
      return trade
    },
    answer(gate, fields) {
      if (/refund/.test(fields.method ?? fields.service ?? '')) return answerRefund(gate, fields)
      const name = gate === 'alipay' ? bizOf(fields).out_trade_no : (fields.out_trade_no ?? fields.out_order_no)
      const trade = books.get('trades', `${gate}:${name}`)
      const verb = (fields.method ?? fields.service ?? '').includes('close') ? 'close' : 'query'
      const isOurs = isFromShop(gate, fields)
      const isClosed = isOurs && verb === 'close' && trade?.status === 'WAIT_BUYER_PAY'
      if (isClosed) close(trade)
      if (gate === 'globalAlipay') return xml(isOurs ? trade : 'ILLEGAL_SIGN', verb, isClosed, keys)
      return json(fields.method ?? '', isOurs ? trade : 'isv.invalid-signature', verb, isClosed, keys)
    },
    pay(trade) {
      const known = books.get('trades', trade.id) ?? trade
      if (known.status !== 'WAIT_BUYER_PAY') return known
      const paid: Trade = { ...known, status: 'TRADE_SUCCESS' }
      const body = new URLSearchParams(notice(paid)).toString()
      const call = calls.compose({ id: newId('call'), gate: paid.gate, url: paid.notifyUrl, body })
      books.put({ trades: [paid], calls: [call] })
      return paid
    },
    returnTo(trade) {
      if (trade.gate === 'globalAlipay') return withQuery(trade.returnUrl, told(trade, { is_success: 'T' }))
      return withQuery(trade.returnUrl, told(trade, { method: 'alipay.trade.page.pay.return', timestamp: now() }))
    },
  }
}

const bizOf = (fields: Fields): Fields => JSON.parse(fields.biz_content ?? '{}') as Fields

type Wanted = Omit<Trade, 'id' | 'gate' | 'tradeNo' | 'status' | 'created'>

/** Null: not a whole order. */
function tradeOf(gate: AlipayGate, fields: Fields): Wanted | null {
  const asked = gate === 'alipay' ? bizOf(fields) : fields
  const total = gate === 'alipay' ? asked.total_amount : asked.total_fee
  const { out_trade_no: outTradeNo, subject } = asked
  if (!outTradeNo || !subject || !total || !/^\d{1,9}\.\d\d$/.test(total)) return null
  if (!isAlipayAmount(gate, Number(readAmount(total)))) return null
  return {
    outTradeNo,
    subject,
    amount: Number(readAmount(total)),
    currency: gate === 'alipay' ? 'CNY' : (fields.currency ?? ''),
    passback: asked.passback_params ?? null,
    notifyUrl: fields.notify_url ?? '',
    returnUrl: fields.return_url ?? '',
    quitUrl: asked.quit_url ?? null,
  }
}

/** A trade, that there is none, or why the question is refused. */
type Found = Trade | null | string

function json(method: string, found: Found, verb: string, isClosed: boolean, keys: SandboxKeys): string {
  const said =
    typeof found === 'string'
      ? refusedAs('40002', found)
      : found === null
        ? refusedAs('40004', 'ACQ.TRADE_NOT_EXIST')
        : verb === 'close' && !isClosed
          ? refusedAs('40004', 'ACQ.TRADE_STATUS_ERROR')
          : { ...ok, ...tradeSaid(found), total_amount: writeAmount(BigInt(found.amount)) }
  return signed(method, said, keys)
}

const ok = { code: '10000', msg: 'Success' }
const refusedAs = (code: '40002' | '40004', subCode: string) => ({
  code,
  msg: code === '40002' ? 'Invalid Arguments' : 'Business Failed',
  sub_code: subCode,
  sub_msg: subCode,
})

function signed(method: string, said: Fields, { gateway }: SandboxKeys): string {
  const content = JSON.stringify(said)
  const sign = createSign('RSA-SHA256').update(content, 'utf8').sign(gateway.privateKey, 'base64')
  return `{"${method.replaceAll('.', '_')}_response":${content},"sign":"${sign}"}`
}

const tradeSaid = ({ outTradeNo, tradeNo, status }: Trade) => ({
  out_trade_no: outTradeNo,
  trade_no: tradeNo,
  trade_status: status,
})

function xml(found: Found, verb: string, isClosed: boolean, { gateway, partner }: SandboxKeys): string {
  const refused = (error: string) => `<alipay><is_success>F</is_success><error>${error}</error></alipay>`
  if (typeof found === 'string') return refused(found)
  if (found === null) return refused('TRADE_NOT_EXIST')
  if (verb === 'close')
    return isClosed ? '<alipay><is_success>T</is_success></alipay>' : refused('TRADE_STATUS_NOT_AVAILD')
  const total_fee = writeAmount(BigInt(found.amount))
  const fields: Fields = {
    ...tradeSaid(found),
    currency: found.currency,
    total_fee,
    seller_id: partner,
    subject: found.subject,
  }
  const sign = signFields(fields, gateway.privateKey)
  const elements = Object.entries(fields).map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
  return `<?xml version="1.0" encoding="utf-8"?>
<alipay><is_success>T</is_success><response><trade>${elements.join('')}</trade></response><sign>${sign}</sign><sign_type>RSA2</sign_type></alipay>`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
