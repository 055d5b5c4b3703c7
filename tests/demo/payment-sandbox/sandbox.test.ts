import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '#demo/payment-sandbox/journal.ts'
import { amountOf } from '#demo/payment-sandbox/pages.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { askedFor, beginning, driversFor, openShop, type Shop } from '#tests/support/orders/shop.ts'

describe('the sandbox', () => {
  let shop: Shop
  beforeEach(async () => {
    shop = await openShop()
  })
  afterEach(() => shop.close())

  it('comes up again with its keys, its address, its money and the calls it still owes', async () => {
    shop.sandbox.calls.hold()
    const paid = beginning(shop)
    await shop.drivers.stripe.begin(paid)
    const page = await shop.drivers.alipay.begin(beginning(shop, { money: { amount: 5n, currency: 'RMB' } }))
    const url = page.kind === 'redirect' ? page.url : ''
    const cashier = (await visit(url)).url
    const { gateways } = shop.sandbox
    await shop.restart()
    expect(shop.sandbox.gateways).toEqual(gateways)
    expect(shop.sandbox.balances().stripe).toEqual({ hkd: 12_345 })
    await shop.hears(1)
    const drivers = driversFor(shop.sandbox.gateways, shop.url, () => shop.clock.now)
    const { raw, headers } = shop.heard[0]!
    expect(await drivers.stripe.readNotice(raw, headers)).toMatchObject({ key: paid.key })
    // The page that was open before still pays, and the key that was answered before still charges once.
    await visit(cashier, { answer: 'pay' })
    await drivers.stripe.begin(paid)
    expect(shop.sandbox.balances()).toMatchObject({ stripe: { hkd: 12_345 }, alipay: { CNY: 5 } })
  })

  it('takes over the journal of a build that named it otherwise', async () => {
    await shop.drivers.stripe.begin(beginning(shop))
    const folder = join(shop.dataDir, 'payment-sandbox')
    renameSync(join(folder, 'journal.jsonl'), join(folder, 'ledger.jsonl'))
    await shop.restart()
    expect(shop.sandbox.balances().stripe).toEqual({ hkd: 12_345 })
    expect(readdirSync(folder)).toContain('journal.jsonl')
    expect(readdirSync(folder)).not.toContain('ledger.jsonl')
  })

  it('calls again later, in its own time, and gives up in the end', async () => {
    shop.says.status = 503
    await shop.drivers.stripe.begin(beginning(shop))
    await shop.hears(1)
    const call = () => shop.sandbox.calls.list()[0]!
    for (let attempts = 1; attempts < 7; attempts++) {
      await expect.poll(() => call().attempts).toBe(attempts)
      expect(call().nextAt).toBeGreaterThan(shop.clock.now)
      shop.clock.now = call().nextAt ?? 0
      shop.sandbox.calls.release()
    }
    await expect.poll(() => call().attempts).toBe(7)
    expect(call().nextAt).toBeNull()
  })

  it('holds calls back, drops them and repeats them when told to', async () => {
    const { calls } = shop.sandbox
    calls.hold()
    for (let at = 0; at < 3; at++) await shop.drivers.stripe.begin(beginning(shop))
    const [first, second, third] = calls.list().map(({ id }) => id)
    expect(shop.heard).toEqual([])
    expect([await calls.send(third!), await calls.send(first!), await calls.send(first!)]).toEqual([200, 200, 200])
    calls.drop(second!)
    calls.release()
    expect(shop.heard).toHaveLength(3)
    expect(calls.list().map(({ nextAt }) => nextAt)).toEqual([null, null, null])
    expect(await calls.send('evt_none')).toBeNull()
  })

  it('is turned and counted by HTTP for tests of a whole server, by who knows its key', async () => {
    const address = shop.sandbox.gateways.stripe!.apiUrl
    const authorization = `Bearer ${shop.sandbox.keys.stripe.secretKey}`
    const post = (body: object) =>
      fetch(`${address}/control`, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
    await post({ hold: true, loseAnswers: 1 })
    await shop.drivers.stripe.begin(beginning(shop))
    const seen = await fetch(`${address}/control`, { headers: { authorization } })
    const { balances, calls } = (await seen.json()) as { balances: object; calls: { id: string }[] }
    expect(balances).toMatchObject({ stripe: { hkd: 12_345 } })
    expect(await (await post({ send: calls[0]?.id })).json()).toEqual({ status: 200 })
    await post({ drop: calls[0]?.id, hold: false, fail: 0 })
    for (const wrong of [{}, { authorization: 'Bearer sk_test_x' }])
      for (const path of ['/control', '/v1/payment_intents'])
        expect((await fetch(address + path, { headers: wrong })).status).toBe(401)
  })

  it('serves its pages strictly, in the language of the reader, and lets nothing else in', async () => {
    const begun = await shop.drivers.stripe.begin(beginning(shop, { token: null }))
    const url = begun.kind === 'redirect' ? begun.url : ''
    const page = await visit(url)
    const policy = page.headers.get('content-security-policy')
    expect(policy).toBe(
      `default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${shop.url}`,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).not.toMatch(/<script|style=|type="text"/)
    expect(page.text).toContain('<html lang="en">')
    const [, switched = ''] = /<a href="([^"]+)" lang="zh-Hans"/.exec(page.text) ?? []
    expect((await visit(new URL(switched, url).href)).text).toContain('<html lang="zh-Hans">')
    for (const path of ['/pay/card/cs_none', '/pay/bank/pi_none_secret_x', '/pay/alipay/none'])
      expect((await visit(new URL(path, url).href)).status).toBe(404)
    const css = await visit(new URL('/sandbox.css', url).href)
    expect(css.headers.get('content-type')).toBe('text/css; charset=utf-8')
  })

  it('calls nobody but the portal on this machine', async () => {
    const elsewhere = driversFor(shop.sandbox.gateways, 'https://portal.example', () => shop.clock.now)
    const begun = await elsewhere.alipay.begin(beginning(shop, { money: { amount: 5n, currency: 'RMB' } }))
    expect((await visit(begun.kind === 'redirect' ? begun.url : '')).status).toBe(404)
  })

  it('knows what it was asked a hundred payments ago', async () => {
    const first = beginning(shop)
    await shop.drivers.stripe.begin(first)
    shop.sandbox.calls.hold()
    await Promise.all(Array.from({ length: 120 }, () => shop.drivers.stripe.begin(beginning(shop))))
    expect(await shop.drivers.stripe.query(askedFor(first, shop.clock.now))).toMatchObject({ key: first.key })
  })
})

describe('its journal', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const open = () =>
    openJournal<{ coins: { id: string; at: number }; notes: { id: string } }>(join(folder, 'x', 'journal'))

  it('keeps the last of each row, and of a line that was cut off nothing', () => {
    const first = open()
    first.put({ coins: [{ id: 'a', at: 1 }], notes: [{ id: 'n' }] })
    first.put({ coins: [{ id: 'a', at: 2 }] })
    first.close()
    appendFileSync(join(folder, 'x', 'journal'), '{"coins":[{"id":"b","at":3}')
    const second = open()
    expect([second.all('coins'), second.all('notes'), second.get('coins', 'b')]).toEqual([
      [{ id: 'a', at: 2 }],
      [{ id: 'n' }],
      null,
    ])
    second.put({ coins: [{ id: 'c', at: 4 }] })
    second.close()
    expect(open().all('coins')).toHaveLength(2)
    expect(statSync(join(folder, 'x', 'journal')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'x', 'journal'), 'utf8').endsWith('\n')).toBe(true)
  })
})

it.each([
  [1, 'hkd', 'HKD 0.01'],
  [123_456_789, 'cny', 'RMB 1,234,567.89'],
  [100_000, 'eur', 'EUR 1,000.00'],
])('%s of %s is written %s', (amount, currency, written) => {
  expect(amountOf({ amount, currency })).toBe(written)
})
