import { describe, expect, it } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAlipayDriver } from '#server/drivers/payment/alipay.ts'
import { readFlatXml } from '#server/drivers/payment/flat-xml.ts'
import { findPaymentDifference } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem } from '#server/drivers/payment/payment-problem.ts'
import { createGlobalAlipayDriver, signFields } from '#server/drivers/payment/global-alipay.ts'
import type { Money } from '#server/drivers/payment/payment-driver.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { toPaymentQuery, buildBeginning, setUpSharedShop } from '#tests/support/orders/shop.ts'

const shop = setUpSharedShop()

const gatewayCases: [gateway: 'alipay' | 'globalAlipay', money: Money, code: string, displayedAmount: string][] = [
  ['alipay', { amount: 1_234_567n, currency: 'RMB' }, 'CNY', 'RMB 12,345.67'],
  ['globalAlipay', { amount: 9999n, currency: 'HKD' }, 'HKD', 'HKD 99.99'],
  ['globalAlipay', { amount: 1n, currency: 'USD' }, 'USD', 'USD 0.01'],
]

describe.each(gatewayCases)('the %s driver with %o', (gatewayName, money, code, displayedAmount) => {
  const getDriver = () => shop.drivers[gatewayName]
  const readBalance = () => shop.sandbox.getBalances()[gatewayName][code] ?? 0
  async function startPayment(device: 'desktop' | 'phone' = 'desktop') {
    const input = buildBeginning(shop, { money, token: null, device })
    const response = await getDriver().start(input)
    return {
      input,
      url: response.kind === 'redirect' ? response.url : '',
      query: toPaymentQuery(input, shop.clock.now),
    }
  }
  const readReturn = (url: string) => getDriver().readReturn(new URL(url).searchParams)
  const readReason = (readingNotice: Promise<unknown>) =>
    readingNotice.then(
      () => 'taken',
      (error: unknown) => (error instanceof NoticeProblem ? error.reason : String(error)),
    )

  it.each(['desktop', 'phone'] as const)(
    'sends the payer by a signed address to the payment page (%s)',
    async (device) => {
      const balanceBefore = readBalance()
      const { input, url, query } = await startPayment(device)
      expect(await getDriver().query(query)).toBeNull()
      const page = await openGatewayPage(url)
      expect(page.text).toContain(displayedAmount)
      expect(page.text).toContain('Contract &lt;C0017&gt; &amp; more 合同')
      expect(await getDriver().query(query)).toMatchObject({ status: 'open', key: input.key })
      const returnPage = await openGatewayPage(page.url, { answer: 'pay' })
      expect(returnPage.url.startsWith(`${input.returnUrl}?`)).toBe(true)
      const notice = await readReturn(returnPage.url)
      const payment = await getDriver().query({ ...query, ...notice })
      expect(payment).toMatchObject({ status: 'paid', key: input.key, gatewayId: notice?.gatewayId })
      expect(findPaymentDifference(payment!, { ...money, key: input.key })).toBeNull()
      expect(findPaymentDifference(payment!, { ...money, amount: money.amount + 1n, key: input.key })).toBe('amount')
      // Paying, opening and returning again does not charge again.
      expect((await openGatewayPage(page.url, { answer: 'pay' })).url).toContain(input.returnUrl)
      expect((await openGatewayPage(url)).url).toContain(input.returnUrl)
      expect(await readReturn(returnPage.url)).toEqual(notice)
      expect(readBalance() - balanceBefore).toBe(Number(money.amount))
    },
  )

  it('receives signed notices until it acknowledges a notice', async () => {
    shop.reply.body = 'fail'
    const { input, url } = await startPayment()
    const page = await openGatewayPage(url)
    await openGatewayPage(page.url, { answer: 'pay' })
    await shop.waitForCalls(1)
    const { raw, headers, path } = shop.receivedCalls[0]!
    expect(path).toBe('/public/payment/alipay')
    const notice = await getDriver().readNotice(raw, headers)
    expect(notice).toMatchObject({ key: input.key })
    const call = shop.sandbox.webhooks.list().at(-1)!
    await expect.poll(() => shop.sandbox.webhooks.list().at(-1)?.attempts).toBe(1)
    expect(shop.sandbox.webhooks.list().at(-1)?.nextAt).toBe(shop.clock.now + 1000)
    shop.reply.body = getDriver().acknowledgement
    await shop.sandbox.webhooks.send(call.id)
    expect(shop.sandbox.webhooks.list().at(-1)).toMatchObject({ attempts: 2, nextAt: null })
    // A repeated notice has the same id.
    expect(await getDriver().readNotice(shop.receivedCalls[1]!.raw, {})).toEqual(notice)
  })

  it('rejects forged or changed notices and returns, and notices of another shop (S-95)', async () => {
    const { url } = await startPayment()
    const page = await openGatewayPage(url)
    const returnPage = await openGatewayPage(page.url, { answer: 'pay' })
    await shop.waitForCalls(1)
    const text = shop.receivedCalls[0]!.raw.toString()
    const readNoticeReason = (form: string) => readReason(getDriver().readNotice(Buffer.from(form), {}))
    const amount = gatewayName === 'alipay' ? 'total_amount' : 'total_fee'
    expect(await readNoticeReason(text.replace(new RegExp(`${amount}=\\d`), `${amount}=8`))).toBe('signature')
    expect(await readNoticeReason(text.replace(/sign=[^&]+/, 'sign=AAAA'))).toBe('signature')
    expect(await readNoticeReason(text.replace(/&sign=[^&]+/, ''))).toBe('signature')
    expect(await readNoticeReason(text.replace('sign_type=RSA2', 'sign_type=RSA'))).toBe('signature')
    expect(await readNoticeReason(`${text}&${amount}=0.01`)).toBe('form')
    expect(await readNoticeReason('')).toBe('form')
    // This notice is correctly signed by Alipay, but for another shop.
    const { gateway } = shop.sandbox.keys
    const { sign: _, sign_type: __, ...fields } = Object.fromEntries(new URLSearchParams(text))
    const signForm = (changedFields: Record<string, string>) => {
      const signedFields = { ...fields, ...changedFields } as Record<string, string>
      return new URLSearchParams({
        ...signedFields,
        sign_type: 'RSA2',
        sign: signFields(signedFields, gateway.privateKey),
      }).toString()
    }
    expect(await readNoticeReason(signForm({}))).toBe('taken')
    expect(await readNoticeReason(signForm({ seller_id: '2088000000000000' }))).toBe('account')
    if (gatewayName === 'alipay')
      expect(await readNoticeReason(signForm({ app_id: '2021000000000000' }))).toBe('account')
    const changedUrl = new URL(returnPage.url)
    changedUrl.searchParams.set('out_trade_no', 'other')
    expect(await readReason(readReturn(changedUrl.href))).toBe('signature')
    expect(await readReturn(`${shop.url}/saas/app/contract/17`)).toBeNull()
  })

  it('accepts a notice with the usual encoding errors, but no forged notice (fault 26b)', async () => {
    const { input, url } = await startPayment()
    await openGatewayPage((await openGatewayPage(url)).url, { answer: 'pay' })
    await shop.waitForCalls(1)
    const text = shop.receivedCalls[0]!.raw.toString()
    const readNotice = (form: string) => getDriver().readNotice(Buffer.from(form), {})
    const fields = [...new URLSearchParams(text)]
    const twiceEncoded = new URLSearchParams(
      fields.map(([name, value]) => [name, encodeURIComponent(value)]),
    ).toString()
    expect(await readNotice(twiceEncoded)).toMatchObject({ key: input.key })
    const decodedSign = text.replace(/sign=[^&]+/, (sign) => decodeURIComponent(sign))
    expect(await readNotice(decodedSign)).toMatchObject({ key: input.key })
    expect(await readReason(readNotice(twiceEncoded.replace(/out_trade_no=\w/, 'out_trade_no=x')))).toBe('signature')
  })

  it('opens no payment page if the amount or the address was changed', async () => {
    const { input, url } = await startPayment()
    await openGatewayPage(url)
    const otherStart = await getDriver().start({ ...input, money: { ...money, amount: money.amount + 5n } })
    const page = await openGatewayPage(otherStart.kind === 'redirect' ? otherStart.url : '')
    expect([page.status, page.text.includes('cannot be opened')]).toEqual([404, true])
    const tamperedUrl = url.replace('Contract', 'Gift')
    expect((await openGatewayPage(tamperedUrl)).status).toBe(404)
  })

  it('closes a payment before it is paid, but not after', async () => {
    const firstPayment = await startPayment()
    expect(await getDriver().close(firstPayment.query)).toBeNull()
    const page = await openGatewayPage(firstPayment.url)
    expect(await getDriver().close(firstPayment.query)).toMatchObject({ status: 'closed' })
    expect((await openGatewayPage(page.url, { answer: 'pay' })).status).toBe(404)
    expect((await openGatewayPage(firstPayment.url)).text).toContain('was cancelled')
    const secondPayment = await startPayment()
    await openGatewayPage((await openGatewayPage(secondPayment.url)).url, { answer: 'pay' })
    expect(await getDriver().close(secondPayment.query)).toMatchObject({ status: 'paid' })
  })

  it('leaves a payment open without a result if the payer turns back on the payment page', async () => {
    const { url, query } = await startPayment()
    const page = await openGatewayPage(url)
    const returnPage = await openGatewayPage(page.url, { answer: 'back' })
    expect(await readReturn(returnPage.url)).toBeNull()
    expect((await getDriver().query(query))?.status).toBe('open')
  })

  it('reports a lost or broken response as a problem that is not final, without any key', async () => {
    const { url, query } = await startPayment()
    await openGatewayPage(url)
    for (const fault of ['loseAnswers', 'fail'] as const) {
      // The library of the mainland gateway repeats a failed request once by itself.
      Object.assign(shop.sandbox.faults, { loseAnswers: 0, [fault]: 2 })
      const problem: unknown = await getDriver()
        .query(query)
        .catch((error: unknown) => error)
      expect(problem).toMatchObject({ name: 'PaymentProblem', isFinal: false })
      expect(String(problem)).not.toMatch(/sign|PRIVATE|2088/)
    }
    Object.assign(shop.sandbox.faults, { loseAnswers: 0, fail: 0 })
    expect((await getDriver().query(query))?.status).toBe('open')
  })

  it('rejects a response that Alipay did not sign, and is refused if it signs with another key', async () => {
    const { url, query } = await startPayment()
    await openGatewayPage(url)
    const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const publicKey = otherKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const privateKey = otherKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { alipay, globalAlipay } = shop.sandbox.gateways
    const createDriver = (keys: object) =>
      gatewayName === 'alipay'
        ? createAlipayDriver({ ...alipay!, ...keys }, `${shop.url}/public/payment/alipay`, Date.now)
        : createGlobalAlipayDriver({ ...globalAlipay!, ...keys }, `${shop.url}/public/payment/alipay`, Date.now)
    await expect(createDriver({ publicKey }).query(query)).rejects.toMatchObject({
      name: 'PaymentProblem',
      isFinal: false,
    })
    await expect(createDriver({ privateKey }).query(query)).rejects.toMatchObject({ name: 'PaymentProblem' })
    const wrongStart = await createDriver({ privateKey }).start(buildBeginning(shop, { money }))
    expect((await openGatewayPage(wrongStart.kind === 'redirect' ? wrongStart.url : '')).status).toBe(404)
  })

  it('rejects other currencies, and return addresses with a query', async () => {
    const otherCurrency = gatewayName === 'alipay' ? 'HKD' : 'RMB'
    const foreignStart = getDriver().start(buildBeginning(shop, { money: { amount: 1n, currency: otherCurrency } }))
    await expect(foreignStart).rejects.toMatchObject({ name: 'PaymentProblem', isFinal: true })
    const startWithQuery = getDriver().start(buildBeginning(shop, { money, returnUrl: `${shop.url}/?a=1` }))
    await expect(startWithQuery).rejects.toMatchObject({ name: 'PaymentProblem', isFinal: true })
  })
})

it('The cross-border driver does not follow redirects (S-09)', async () => {
  const requestedUrls: (string | undefined)[] = []
  const gateway = createServer((request, response) => {
    requestedUrls.push(request.url)
    response.writeHead(307, { location: '/metadata' }).end()
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/gateway`
  const settings = { ...shop.sandbox.gateways.globalAlipay!, gatewayUrl }
  const driver = createGlobalAlipayDriver(settings, `${shop.url}/public`, Date.now)
  const input = buildBeginning(shop, { money: { amount: 1n, currency: 'HKD' } })
  await expect(driver.query(toPaymentQuery(input, shop.clock.now))).rejects.toMatchObject({ name: 'PaymentProblem' })
  expect(requestedUrls).toEqual([expect.stringMatching(/^\/gateway/)])
  gateway.close()
})

describe('the XML parser of the cross-border driver', () => {
  it('reads names and texts, and rejects all other XML', () => {
    const xml = `<?xml version="1.0" encoding="utf-8"?>
<alipay><is_success>T</is_success><request><param name="out_trade_no">a</param></request>
<response><trade><subject>A &amp; B &lt;c&gt;</subject><total_fee> 1.00 </total_fee></trade></response></alipay>`
    expect(readFlatXml(xml)).toEqual({ is_success: 'T', subject: 'A & B <c>', total_fee: '1.00' })
    const wrapXml = (inner: string) => `<alipay>${inner}</alipay>`
    for (const badXml of [
      wrapXml('<a>1</a><a>2</a>'),
      wrapXml('<![CDATA[<a>1</a>]]>'),
      `<!DOCTYPE x [<!ENTITY e "1">]>${wrapXml('<a>&e;</a>')}`,
      '<html>proxy</html>',
      '',
    ])
      expect(() => readFlatXml(badXml)).toThrow('unreadable')
  })

  // A regular expression that scans from each position to the end would need minutes for these texts, and would block the server meanwhile.
  it('rejects a hostile megabyte without blocking the server (fault 2n)', () => {
    const repeatToMegabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
    for (const hostileXml of [
      repeatToMegabyte('<request>'),
      repeatToMegabyte('<alipay>'),
      `<alipay></alipay>${repeatToMegabyte(' ')}x`,
      `<alipay>${repeatToMegabyte('</alipay>')}<a>`,
      repeatToMegabyte('<a>'),
      `<${repeatToMegabyte('a')}`,
    ])
      expect(() => readFlatXml(hostileXml)).toThrow('unreadable')
  })
})
