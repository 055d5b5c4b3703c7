import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '#demo/payment-sandbox/journal.ts'
import { formatAmount } from '#demo/payment-sandbox/pages.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { toPaymentQuery, buildBeginning, createDrivers, openShop, type Shop } from '#tests/support/orders/shop.ts'

describe('the payment sandbox', () => {
  let shop: Shop
  beforeEach(async () => {
    shop = await openShop()
  })
  afterEach(() => shop.close())

  it('keeps its keys, address, balances and unsent webhooks after a restart', async () => {
    shop.sandbox.webhooks.hold()
    const payment = buildBeginning(shop)
    await shop.drivers.stripe.start(payment)
    const page = await shop.drivers.alipay.start(buildBeginning(shop, { money: { amount: 5n, currency: 'RMB' } }))
    const url = page.kind === 'redirect' ? page.url : ''
    const cashierUrl = (await openGatewayPage(url)).url
    const { gateways } = shop.sandbox
    await shop.restart()
    expect(shop.sandbox.gateways).toEqual(gateways)
    expect(shop.sandbox.getBalances().stripe).toEqual({ hkd: 12_345 })
    await shop.waitForCalls(1)
    const drivers = createDrivers(shop.sandbox.gateways, shop.url, () => shop.clock.now)
    const { raw, headers } = shop.receivedCalls[0]!
    expect(await drivers.stripe.readNotice(raw, headers)).toMatchObject({ key: payment.key })
    // A page that was opened before the restart can still pay, and a key that was used before still charges only once.
    await openGatewayPage(cashierUrl, { answer: 'pay' })
    await drivers.stripe.start(payment)
    expect(shop.sandbox.getBalances()).toMatchObject({ stripe: { hkd: 12_345 }, alipay: { CNY: 5 } })
  })

  it('reads a journal that has the file name of an earlier version', async () => {
    await shop.drivers.stripe.start(buildBeginning(shop))
    const folder = join(shop.dataDir, 'payment-sandbox')
    renameSync(join(folder, 'journal.jsonl'), join(folder, 'ledger.jsonl'))
    await shop.restart()
    expect(shop.sandbox.getBalances().stripe).toEqual({ hkd: 12_345 })
    expect(readdirSync(folder)).toContain('journal.jsonl')
    expect(readdirSync(folder)).not.toContain('ledger.jsonl')
  })

  it('repeats a failed webhook at growing intervals, and gives up after the last attempt', async () => {
    shop.reply.status = 503
    await shop.drivers.stripe.start(buildBeginning(shop))
    await shop.waitForCalls(1)
    const getWebhook = () => shop.sandbox.webhooks.list()[0]!
    for (let attemptCount = 1; attemptCount < 7; attemptCount++) {
      await expect.poll(() => getWebhook().attempts).toBe(attemptCount)
      expect(getWebhook().nextAt).toBeGreaterThan(shop.clock.now)
      shop.clock.now = getWebhook().nextAt ?? 0
      shop.sandbox.webhooks.release()
    }
    await expect.poll(() => getWebhook().attempts).toBe(7)
    expect(getWebhook().nextAt).toBeNull()
  })

  it('holds, sends, drops and repeats webhooks on request', async () => {
    const { webhooks } = shop.sandbox
    webhooks.hold()
    for (let index = 0; index < 3; index++) await shop.drivers.stripe.start(buildBeginning(shop))
    const [first, second, third] = webhooks.list().map(({ id }) => id)
    expect(shop.receivedCalls).toEqual([])
    expect([await webhooks.send(third!), await webhooks.send(first!), await webhooks.send(first!)]).toEqual([
      200, 200, 200,
    ])
    webhooks.drop(second!)
    webhooks.release()
    expect(shop.receivedCalls).toHaveLength(3)
    expect(webhooks.list().map(({ nextAt }) => nextAt)).toEqual([null, null, null])
    expect(await webhooks.send('evt_none')).toBeNull()
  })

  it('is controlled over HTTP by callers with its secret key', async () => {
    const address = shop.sandbox.gateways.stripe!.apiUrl
    const authorization = `Bearer ${shop.sandbox.keys.stripe.secretKey}`
    const postControl = (body: object) =>
      fetch(`${address}/control`, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
    await postControl({ hold: true, loseAnswers: 1 })
    await shop.drivers.stripe.start(buildBeginning(shop))
    const response = await fetch(`${address}/control`, { headers: { authorization } })
    const { balances, calls } = (await response.json()) as { balances: object; calls: { id: string }[] }
    expect(balances).toMatchObject({ stripe: { hkd: 12_345 } })
    expect(await (await postControl({ send: calls[0]?.id })).json()).toEqual({ status: 200 })
    await postControl({ drop: calls[0]?.id, hold: false, fail: 0 })
    for (const wrongHeaders of [{}, { authorization: 'Bearer sk_test_x' }])
      for (const path of ['/control', '/v1/payment_intents'])
        expect((await fetch(address + path, { headers: wrongHeaders })).status).toBe(401)
  })

  it("serves pages with a strict policy in the reader's language", async () => {
    const result = await shop.drivers.stripe.start(buildBeginning(shop, { token: null }))
    const url = result.kind === 'redirect' ? result.url : ''
    const page = await openGatewayPage(url)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toBe(
      `default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${shop.url}`,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).not.toMatch(/<script|style=|type="text"/)
    expect(page.text).toContain('<html lang="en">')
    const [, otherLanguagePath = ''] = /<a href="([^"]+)" lang="zh-Hans"/.exec(page.text) ?? []
    expect((await openGatewayPage(new URL(otherLanguagePath, url).href)).text).toContain('<html lang="zh-Hans">')
    for (const path of ['/pay/card/cs_none', '/pay/bank/pi_none_secret_x', '/pay/alipay/none'])
      expect((await openGatewayPage(new URL(path, url).href)).status).toBe(404)
    const cssPage = await openGatewayPage(new URL('/sandbox.css', url).href)
    expect(cssPage.headers.get('content-type')).toBe('text/css; charset=utf-8')
  })

  it('redirects only to the portal on this machine', async () => {
    const otherPortalDrivers = createDrivers(shop.sandbox.gateways, 'https://portal.example', () => shop.clock.now)
    const result = await otherPortalDrivers.alipay.start(
      buildBeginning(shop, { money: { amount: 5n, currency: 'RMB' } }),
    )
    expect((await openGatewayPage(result.kind === 'redirect' ? result.url : '')).status).toBe(404)
  })

  it('finds a payment after 120 later payments', async () => {
    const firstPayment = buildBeginning(shop)
    await shop.drivers.stripe.start(firstPayment)
    shop.sandbox.webhooks.hold()
    await Promise.all(Array.from({ length: 120 }, () => shop.drivers.stripe.start(buildBeginning(shop))))
    expect(await shop.drivers.stripe.query(toPaymentQuery(firstPayment, shop.clock.now))).toMatchObject({
      key: firstPayment.key,
    })
  })
})

describe('the journal of the sandbox', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const openTestJournal = () =>
    openJournal<{ coins: { id: string; at: number }; notes: { id: string } }>(join(folder, 'x', 'journal'))

  it('keeps the last version of each row, and ignores a truncated last record', () => {
    const firstJournal = openTestJournal()
    firstJournal.put({ coins: [{ id: 'a', at: 1 }], notes: [{ id: 'n' }] })
    firstJournal.put({ coins: [{ id: 'a', at: 2 }] })
    firstJournal.close()
    appendFileSync(join(folder, 'x', 'journal'), '{"coins":[{"id":"b","at":3}')
    const secondJournal = openTestJournal()
    expect([secondJournal.list('coins'), secondJournal.list('notes'), secondJournal.get('coins', 'b')]).toEqual([
      [{ id: 'a', at: 2 }],
      [{ id: 'n' }],
      null,
    ])
    secondJournal.put({ coins: [{ id: 'c', at: 4 }] })
    secondJournal.close()
    expect(openTestJournal().list('coins')).toHaveLength(2)
    expect(statSync(join(folder, 'x', 'journal')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'x', 'journal'), 'utf8').endsWith('\n')).toBe(true)
  })
})

it.each([
  [1, 'hkd', 'HKD 0.01'],
  [123_456_789, 'cny', 'RMB 1,234,567.89'],
  [100_000, 'eur', 'EUR 1,000.00'],
])('formatAmount formats %s of %s as %s', (amount, currency, expectedText) => {
  expect(formatAmount({ amount, currency })).toBe(expectedText)
})
