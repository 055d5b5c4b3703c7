/** Tests prints, which are opened with a ticket: once, within a minute, and only with the order right (D65, Z-24, Z-25). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { buyOrder, type OrderRow, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('prints', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  let buyer: SignedIn
  let shop: OrderRow
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    shop = await buyOrder(server, buyer, { currency: 'RMB', name: 'Shop & <b>more</b>', desc: 'For the 中环 branch' })
  })

  const requestPrint = (caller: SignedIn, payload: object) =>
    caller.send({ method: 'POST', url: '/api/print', payload })
  const openPrint = (url: string, accept = 'text/html') => server.send({ url, headers: { accept } })
  const requestTicketUrl = async (caller = buyer, id = shop.contract_id) =>
    (await requestPrint(caller, { kind: 'contract', id })).json().url
  const updateCompanies = async (values: { tax_number: string | null }) => {
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('company').set(values).execute(),
    )
  }
  const setLanguage = (language: 'en' | 'zh') =>
    runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ language }).where('id', '=', buyer.userId).execute(),
    )

  test('A print of a contract shows its parties, steps, payments, and RMB in words', async () => {
    const response = await openPrint(await requestTicketUrl())
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.headers['referrer-policy']).toBe('no-referrer')
    const { body } = response
    for (const expectedText of [
      '<html lang="en">',
      `Service contract ${String(shop['contract'])}`,
      canaries.alpha,
      canaries.m18,
      'Shop &amp; &lt;b&gt;more&lt;/b&gt;',
      'For the 中环 branch',
      '2026-03-02 to 2027-03-01 (1 year)',
      '10 concurrent users',
      'Annual fee',
      'RMB',
      '元整',
    ])
      expect(body).toContain(expectedText)
    // The print names the time zone of all times (fault 34e).
    expect(body).toContain(`All dates and times are in the time zone ${server.app.config.timeZone}.`)
    expect(body).toMatch(/I202603\d{6}/)
    expect(body).not.toContain(canaries.beta)
  })

  test('A print uses the language of the page, otherwise that of the account (fault 37l)', async () => {
    const readPageLanguage = async (payload: object) => {
      const { url } = (await requestPrint(buyer, { kind: 'contract', id: shop.contract_id, ...payload })).json()
      return /<html lang="([\w-]+)">/.exec((await openPrint(url)).body)?.[1]
    }
    expect(await readPageLanguage({ language: 'zh' })).toBe('zh-Hans')
    expect(await readPageLanguage({})).toBe('en')
    await setLanguage('zh')
    expect(await readPageLanguage({ language: 'en' })).toBe('en')
    expect(await readPageLanguage({})).toBe('zh-Hans')
    expect((await requestPrint(buyer, { kind: 'contract', id: shop.contract_id, language: 'fr' })).statusCode).toBe(400)
  })

  test("A print of an extended contract starts on the contract's first day and covers all years", async () => {
    const payload = { type: 'extend', contract_id: shop.contract_id, period: 2 }
    const order = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json() as OrderRow
    await payOrder(server, order, { currency: 'RMB' })
    const { contract_id: id } = await readOrder(buyer, order.id)
    const { body } = await openPrint(await requestTicketUrl(buyer, id))
    expect(body).toContain('2026-03-02 to 2029-03-01 (3 years)')
  })

  test('A print shows earlier payments with a minus sign, and each sum in bold once', async () => {
    const payload = { type: 'change', contract_id: shop.contract_id, users: 30 }
    const order = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json() as OrderRow
    await payOrder(server, order, { currency: 'RMB' })
    const { contract_id: id } = await readOrder(buyer, order.id)
    const { body } = await openPrint(await requestTicketUrl(buyer, id))
    expect(body).toMatch(/>−RMB \d/)
    expect(body).not.toMatch(/RMB -/)
    const rows = [...body.matchAll(/<tr( class="sum")?>\s*<td>[^<]*<\/td><td class="amount">([\d,.]+)</g)]
    const sumAmounts = rows.map(([, sum, amount]) => (sum ? amount : ''))
    expect(sumAmounts.filter(Boolean).length).toBeGreaterThan(0)
    expect(sumAmounts.filter((amount, index) => amount && amount === sumAmounts[index - 1])).toEqual([])
  })

  test('A print without a page language uses the language of the caller', async () => {
    await setLanguage('zh')
    const { body } = await openPrint(await requestTicketUrl())
    for (const expectedText of ['<html lang="zh-Hans">', '服务合同', '2026-03-02 至 2027-03-01（1 年）', '大写'])
      expect(body).toContain(expectedText)
  })

  test('A print shows the tax numbers stored with the invoice, not the current numbers', async () => {
    await updateCompanies({ tax_number: '12345678' })
    const { contract_id } = await buyOrder(server, buyer, { code: 'second' })
    await updateCompanies({ tax_number: '87654321' })
    const { body } = await openPrint(await requestTicketUrl(buyer, contract_id))
    expect(body.match(/<dt>Tax number<\/dt><dd>12345678<\/dd>/g)).toHaveLength(2)
    expect(body).not.toContain('87654321')
    await setLanguage('zh')
    const chineseResponse = await openPrint(await requestTicketUrl(buyer, contract_id))
    expect(chineseResponse.body.match(/<dt>税号<\/dt><dd>12345678<\/dd>/g)).toHaveLength(2)
  })

  test('A print shows no tax numbers if the invoice has none', async () => {
    await updateCompanies({ tax_number: '87654321' })
    expect((await openPrint(await requestTicketUrl())).body).not.toMatch(/Tax number|87654321/)
    // An invoice cannot be changed through the policies, so they are bypassed.
    const taxNumberRemoval = sql`update invoice set content = content #- '{seller,tax_number}' #- '{buyer,tax_number}'`
    const updateResult = await bypassPolicies(server.app.database, (db) => taxNumberRemoval.execute(db))
    expect(updateResult.numAffectedRows).toBe(1n)
    expect((await openPrint(await requestTicketUrl())).body).not.toMatch(/Tax number|87654321/)
  })

  test('A print runs only its own script and styles (H-08)', async () => {
    const { headers, body } = await openPrint(await requestTicketUrl())
    const policy = String(headers['content-security-policy'])
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(body.match(/<(script|style)[^>]*>/g)).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`])
    expect((await openPrint(await requestTicketUrl())).headers['content-security-policy']).not.toContain(nonce)
  })

  test('A print link works once, also for fifty concurrent requests, and expires after a minute', async () => {
    const url = await requestTicketUrl()
    const responses = await Promise.all(Array.from({ length: 50 }, () => openPrint(url)))
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(responses.filter(({ statusCode }) => statusCode === 404)).toHaveLength(49)
    const lateUrl = await requestTicketUrl()
    server.clock.now += 60_001
    const response = await openPrint(lateUrl)
    expect([response.statusCode, response.body]).toEqual([404, expect.stringContaining('This address no longer works')])
    expect((await openPrint(lateUrl, 'application/json')).json().errorCode).toBe('NOT_FOUND')
  })

  test('A print requires a caller with the order right, from the company or from staff', async () => {
    const printInput = { kind: 'contract', id: shop.contract_id }
    expect((await requestPrint(await server.signIn('admin@alpha'), printInput)).statusCode).toBe(403)
    expect((await requestPrint(await server.signIn('order@beta'), printInput)).statusCode).toBe(404)
    expect((await requestPrint(buyer, { ...printInput, id: 999_999 })).statusCode).toBe(404)
    const staff = await server.signIn('order@m18')
    expect((await openPrint(await requestTicketUrl(staff))).body).toContain(canaries.alpha)
  })

  test('A print does not open if the caller lost the order right meanwhile', async () => {
    const url = await requestTicketUrl()
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ orders: false }).where('id', '=', buyer.userId).execute(),
    )
    expect((await openPrint(url)).statusCode).toBe(404)
  })

  test('Prints are recorded in the trail, and their number is limited', async () => {
    for (let index = 0; index < 30; index++) await requestTicketUrl()
    expect((await requestPrint(buyer, { kind: 'contract', id: shop.contract_id })).json().errorCode).toBe(
      'RATE_LIMITED',
    )
    server.clock.now += 61_000
    expect((await requestPrint(buyer, { kind: 'contract', id: shop.contract_id })).statusCode).toBe(200)
    const printEntries = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'print').execute(),
    )
    expect(printEntries).toHaveLength(31)
    expect(JSON.stringify(printEntries)).toContain(String(shop.contract))
  })

  test('The key of a print is not stored', async () => {
    const key = (await requestTicketUrl()).split('/').at(-1)
    const rows = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('ticket').selectAll().execute(),
    )
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})
