import { describe, expect, it } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { alipayPayment } from '#server/drivers/payment/alipay.ts'
import { readFlatXml } from '#server/drivers/payment/flat-xml.ts'
import { differenceOf } from '#server/drivers/payment/driver.ts'
import { NoticeProblem } from '#server/drivers/payment/errors.ts'
import { globalAlipayPayment, signFields } from '#server/drivers/payment/global-alipay.ts'
import type { Money } from '#server/drivers/payment/driver.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { askedFor, beginning, shopForAll } from '#tests/support/orders/shop.ts'

const shop = shopForAll()

const gates: [gate: 'alipay' | 'globalAlipay', money: Money, code: string, shown: string][] = [
  ['alipay', { amount: 1_234_567n, currency: 'RMB' }, 'CNY', 'RMB 12,345.67'],
  ['globalAlipay', { amount: 9999n, currency: 'HKD' }, 'HKD', 'HKD 99.99'],
  ['globalAlipay', { amount: 1n, currency: 'USD' }, 'USD', 'USD 0.01'],
]

describe.each(gates)('%s in %o', (gate, money, code, shown) => {
  const driver = () => shop.drivers[gate]
  const taken = () => shop.sandbox.balances()[gate][code] ?? 0
  async function begun(device: 'desktop' | 'phone' = 'desktop') {
    const wanted = beginning(shop, { money, token: null, device })
    const answer = await driver().begin(wanted)
    return { wanted, url: answer.kind === 'redirect' ? answer.url : '', asked: askedFor(wanted, shop.clock.now) }
  }
  const returned = (url: string) => driver().readReturn(new URL(url).searchParams)
  const reasonOf = (reading: Promise<unknown>) =>
    reading.then(
      () => 'taken',
      (error: unknown) => (error instanceof NoticeProblem ? error.reason : String(error)),
    )

  it.each(['desktop', 'phone'] as const)('is paid on the page that a signed address leads to (%s)', async (device) => {
    const before = taken()
    const { wanted, url, asked } = await begun(device)
    expect(await driver().query(asked)).toBeNull()
    const page = await visit(url)
    expect(page.text).toContain(shown)
    expect(page.text).toContain('Contract &lt;C0017&gt; &amp; more 合同')
    expect(await driver().query(asked)).toMatchObject({ status: 'open', key: wanted.key })
    const back = await visit(page.url, { answer: 'pay' })
    expect(back.url.startsWith(`${wanted.returnUrl}?`)).toBe(true)
    const notice = await returned(back.url)
    const known = await driver().query({ ...asked, ...notice })
    expect(known).toMatchObject({ status: 'paid', key: wanted.key, gatewayId: notice?.gatewayId })
    expect(differenceOf(known!, { ...money, key: wanted.key })).toBeNull()
    expect(differenceOf(known!, { ...money, amount: money.amount + 1n, key: wanted.key })).toBe('amount')
    // Paid again, opened again, returned again: nothing more is taken.
    expect((await visit(page.url, { answer: 'pay' })).url).toContain(wanted.returnUrl)
    expect((await visit(url)).url).toContain(wanted.returnUrl)
    expect(await returned(back.url)).toEqual(notice)
    expect(taken() - before).toBe(Number(money.amount))
  })

  it('calls us, signed, until it reads the word it waits for', async () => {
    shop.says.body = 'fail'
    const { wanted, url } = await begun()
    const page = await visit(url)
    await visit(page.url, { answer: 'pay' })
    await shop.hears(1)
    const { raw, headers, path } = shop.heard[0]!
    expect(path).toBe('/public/payment/alipay')
    const notice = await driver().readNotice(raw, headers)
    expect(notice).toMatchObject({ key: wanted.key })
    const call = shop.sandbox.calls.list().at(-1)!
    await expect.poll(() => shop.sandbox.calls.list().at(-1)?.attempts).toBe(1)
    expect(shop.sandbox.calls.list().at(-1)?.nextAt).toBe(shop.clock.now + 1000)
    shop.says.body = driver().acknowledgement
    await shop.sandbox.calls.send(call.id)
    expect(shop.sandbox.calls.list().at(-1)).toMatchObject({ attempts: 2, nextAt: null })
    // The repeat is known by its id.
    expect(await driver().readNotice(shop.heard[1]!.raw, {})).toEqual(notice)
  })

  it('refuses notices and returns that are forged, changed, or for another shop (S-95)', async () => {
    const { url } = await begun()
    const page = await visit(url)
    const back = await visit(page.url, { answer: 'pay' })
    await shop.hears(1)
    const text = shop.heard[0]!.raw.toString()
    const read = (form: string) => reasonOf(driver().readNotice(Buffer.from(form), {}))
    const amount = gate === 'alipay' ? 'total_amount' : 'total_fee'
    expect(await read(text.replace(new RegExp(`${amount}=\\d`), `${amount}=8`))).toBe('signature')
    expect(await read(text.replace(/sign=[^&]+/, 'sign=AAAA'))).toBe('signature')
    expect(await read(text.replace(/&sign=[^&]+/, ''))).toBe('signature')
    expect(await read(text.replace('sign_type=RSA2', 'sign_type=RSA'))).toBe('signature')
    expect(await read(`${text}&${amount}=0.01`)).toBe('form')
    expect(await read('')).toBe('form')
    // Rightly signed by Alipay, and about somebody else.
    const { gateway } = shop.sandbox.keys
    const { sign: _, sign_type: __, ...fields } = Object.fromEntries(new URLSearchParams(text))
    const signed = (changed: Record<string, string>) => {
      const all = { ...fields, ...changed } as Record<string, string>
      return new URLSearchParams({ ...all, sign_type: 'RSA2', sign: signFields(all, gateway.privateKey) }).toString()
    }
    expect(await read(signed({}))).toBe('taken')
    expect(await read(signed({ seller_id: '2088000000000000' }))).toBe('account')
    if (gate === 'alipay') expect(await read(signed({ app_id: '2021000000000000' }))).toBe('account')
    const changed = new URL(back.url)
    changed.searchParams.set('out_trade_no', 'other')
    expect(await reasonOf(returned(changed.href))).toBe('signature')
    expect(await returned(`${shop.url}/saas/app/contract/17`)).toBeNull()
  })

  it('fault 26b takes a notice whose values were encoded once too often, or whose signature was not, and no forged one', async () => {
    const { wanted, url } = await begun()
    await visit((await visit(url)).url, { answer: 'pay' })
    await shop.hears(1)
    const text = shop.heard[0]!.raw.toString()
    const read = (form: string) => driver().readNotice(Buffer.from(form), {})
    const fields = [...new URLSearchParams(text)]
    const twice = new URLSearchParams(fields.map(([name, value]) => [name, encodeURIComponent(value)])).toString()
    expect(await read(twice)).toMatchObject({ key: wanted.key })
    const bare = text.replace(/sign=[^&]+/, (sign) => decodeURIComponent(sign))
    expect(await read(bare)).toMatchObject({ key: wanted.key })
    expect(await reasonOf(read(twice.replace(/out_trade_no=\w/, 'out_trade_no=x')))).toBe('signature')
  })

  it('signed for another amount under the same number opens no page', async () => {
    const { wanted, url } = await begun()
    await visit(url)
    const other = await driver().begin({ ...wanted, money: { ...money, amount: money.amount + 5n } })
    const page = await visit(other.kind === 'redirect' ? other.url : '')
    expect([page.status, page.text.includes('cannot be opened')]).toEqual([404, true])
    const tampered = url.replace('Contract', 'Gift')
    expect((await visit(tampered)).status).toBe(404)
  })

  it('is closed before it is paid, and not after', async () => {
    const first = await begun()
    expect(await driver().close(first.asked)).toBeNull()
    const page = await visit(first.url)
    expect(await driver().close(first.asked)).toMatchObject({ status: 'closed' })
    expect((await visit(page.url, { answer: 'pay' })).status).toBe(404)
    expect((await visit(first.url)).text).toContain('was cancelled')
    const second = await begun()
    await visit((await visit(second.url)).url, { answer: 'pay' })
    expect(await driver().close(second.asked)).toMatchObject({ status: 'paid' })
  })

  it('turned back from pays nothing and signs nothing', async () => {
    const { url, asked } = await begun()
    const page = await visit(url)
    const back = await visit(page.url, { answer: 'back' })
    expect(await returned(back.url)).toBeNull()
    expect((await driver().query(asked))?.status).toBe('open')
  })

  it('a lost or broken answer is no answer, and names no key', async () => {
    const { url, asked } = await begun()
    await visit(url)
    for (const mood of ['loseAnswers', 'fail'] as const) {
      // The mainland's library asks a second time by itself.
      Object.assign(shop.sandbox.moods, { loseAnswers: 0, [mood]: 2 })
      const problem: unknown = await driver()
        .query(asked)
        .catch((error: unknown) => error)
      expect(problem).toMatchObject({ name: 'PaymentProblem', final: false })
      expect(String(problem)).not.toMatch(/sign|PRIVATE|2088/)
    }
    Object.assign(shop.sandbox.moods, { loseAnswers: 0, fail: 0 })
    expect((await driver().query(asked))?.status).toBe('open')
  })

  it('believes no answer that Alipay did not sign, and is not believed with another key', async () => {
    const { url, asked } = await begun()
    await visit(url)
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const publicKey = stranger.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const privateKey = stranger.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { alipay, globalAlipay } = shop.sandbox.gateways
    const as = (keys: object) =>
      gate === 'alipay'
        ? alipayPayment({ ...alipay!, ...keys }, `${shop.url}/public/payment/alipay`, Date.now)
        : globalAlipayPayment({ ...globalAlipay!, ...keys }, `${shop.url}/public/payment/alipay`, Date.now)
    await expect(as({ publicKey }).query(asked)).rejects.toMatchObject({ name: 'PaymentProblem', final: false })
    await expect(as({ privateKey }).query(asked)).rejects.toMatchObject({ name: 'PaymentProblem' })
    const wrong = await as({ privateKey }).begin(beginning(shop, { money }))
    expect((await visit(wrong.kind === 'redirect' ? wrong.url : '')).status).toBe(404)
  })

  it('takes no other currency, and no address that Alipay would sign as its own', async () => {
    const other = gate === 'alipay' ? 'HKD' : 'RMB'
    const asked = driver().begin(beginning(shop, { money: { amount: 1n, currency: other } }))
    await expect(asked).rejects.toMatchObject({ name: 'PaymentProblem', final: true })
    const withQuery = driver().begin(beginning(shop, { money, returnUrl: `${shop.url}/?a=1` }))
    await expect(withQuery).rejects.toMatchObject({ name: 'PaymentProblem', final: true })
  })
})

it('the cross-border gateway cannot send us on to somebody else (S-09)', async () => {
  const asked: (string | undefined)[] = []
  const gateway = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(307, { location: '/metadata' }).end()
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/gateway`
  const settings = { ...shop.sandbox.gateways.globalAlipay!, gatewayUrl }
  const driver = globalAlipayPayment(settings, `${shop.url}/public`, Date.now)
  const wanted = beginning(shop, { money: { amount: 1n, currency: 'HKD' } })
  await expect(driver.query(askedFor(wanted, shop.clock.now))).rejects.toMatchObject({ name: 'PaymentProblem' })
  expect(asked).toEqual([expect.stringMatching(/^\/gateway/)])
  gateway.close()
})

describe('the XML of the cross-border gateway', () => {
  it('is read as names and texts, and nothing more of XML is', () => {
    const answer = `<?xml version="1.0" encoding="utf-8"?>
<alipay><is_success>T</is_success><request><param name="out_trade_no">a</param></request>
<response><trade><subject>A &amp; B &lt;c&gt;</subject><total_fee> 1.00 </total_fee></trade></response></alipay>`
    expect(readFlatXml(answer)).toEqual({ is_success: 'T', subject: 'A & B <c>', total_fee: '1.00' })
    const whole = (inner: string) => `<alipay>${inner}</alipay>`
    for (const bad of [
      whole('<a>1</a><a>2</a>'),
      whole('<![CDATA[<a>1</a>]]>'),
      `<!DOCTYPE x [<!ENTITY e "1">]>${whole('<a>&e;</a>')}`,
      '<html>proxy</html>',
      '',
    ])
      expect(() => readFlatXml(bad)).toThrow('cannot be read')
  })

  // An expression that looks from each place to the end takes minutes for these, and nothing else is served meanwhile.
  it('fault 2n an answer of a megabyte that nests, repeats or never ends is refused without stalling the server', () => {
    const filled = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
    for (const hostile of [
      filled('<request>'),
      filled('<alipay>'),
      `<alipay></alipay>${filled(' ')}x`,
      `<alipay>${filled('</alipay>')}<a>`,
      filled('<a>'),
      `<${filled('a')}`,
    ])
      expect(() => readFlatXml(hostile)).toThrow('cannot be read')
  })
})
