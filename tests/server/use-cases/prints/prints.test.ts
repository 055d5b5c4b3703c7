/** Documents by a ticket: for one look, within a minute, of one's own company (D65, Z-24, Z-25). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { bought, type Ordered, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('prints', (engine) => {
  const the = setUpShop(engine)
  let server: TestServer
  let buyer: SignedIn
  let shop: Ordered
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    shop = await bought(server, buyer, { currency: 'RMB', name: 'Shop & <b>more</b>', desc: 'For the 中环 branch' })
  })

  const ask = (by: SignedIn, payload: object) => by.send({ method: 'POST', url: '/api/print', payload })
  const open = (url: string, accept = 'text/html') => server.send({ url, headers: { accept } })
  const ticketOf = async (by = buyer, id = shop.contract_id) => (await ask(by, { kind: 'contract', id })).json().url
  const companies = async (values: { tax_number: string | null }) => {
    await inTransaction(server.app, { role: 'portal_system' }, (db) => db.updateTable('company').set(values).execute())
  }
  const speak = (language: 'en' | 'zh') =>
    inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ language }).where('id', '=', buyer.userId).execute(),
    )

  test('show a contract with its parties, its steps, what was paid, and RMB in words', async () => {
    const answer = await open(await ticketOf())
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['referrer-policy']).toBe('no-referrer')
    const { body } = answer
    for (const said of [
      '<html lang="en">',
      `Service contract ${String(shop['contract'])}`,
      canaries.alpha,
      canaries.m18,
      'Shop &amp; &lt;b&gt;more&lt;/b&gt;',
      'For the 中环 branch',
      '2026-03-02 to 2027-03-01 (1 year)',
      '10 concurrent users',
      'Fee of one year',
      'RMB',
      '元整',
    ])
      expect(body).toContain(said)
    // Its times are named (fault 34e).
    expect(body).toContain(`All dates and times are in the time zone ${server.app.config.timeZone}.`)
    expect(body).toMatch(/I202603\d{6}/)
    expect(body).not.toContain(canaries.beta)
  })

  test('fault 37l are in the language of the page that asks, and else in that of the account', async () => {
    const langOf = async (payload: object) => {
      const { url } = (await ask(buyer, { kind: 'contract', id: shop.contract_id, ...payload })).json()
      return /<html lang="([\w-]+)">/.exec((await open(url)).body)?.[1]
    }
    expect(await langOf({ language: 'zh' })).toBe('zh-Hans')
    expect(await langOf({})).toBe('en')
    await speak('zh')
    expect(await langOf({ language: 'en' })).toBe('en')
    expect(await langOf({})).toBe('zh-Hans')
    expect((await ask(buyer, { kind: 'contract', id: shop.contract_id, language: 'fr' })).statusCode).toBe(400)
  })

  test('show one that was extended from its first day, with all of its years', async () => {
    const payload = { type: 'extend', contract_id: shop.contract_id, period: 2 }
    const made = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json() as Ordered
    await paid(server, made, { currency: 'RMB' })
    const { contract_id: id } = await readOrder(buyer, made.id)
    const { body } = await open(await ticketOf(buyer, id))
    expect(body).toContain('2026-03-02 to 2029-03-01 (3 years)')
  })

  test('show what was paid already with its sign before all of it, and each sum in bold once', async () => {
    const payload = { type: 'change', contract_id: shop.contract_id, users: 30 }
    const made = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json() as Ordered
    await paid(server, made, { currency: 'RMB' })
    const { contract_id: id } = await readOrder(buyer, made.id)
    const { body } = await open(await ticketOf(buyer, id))
    expect(body).toMatch(/>−RMB \d/)
    expect(body).not.toMatch(/RMB -/)
    const rows = [...body.matchAll(/<tr( class="sum")?>\s*<td>[^<]*<\/td><td class="amount">([\d,.]+)</g)]
    const bold = rows.map(([, sum, amount]) => (sum ? amount : ''))
    expect(bold.filter(Boolean).length).toBeGreaterThan(0)
    expect(bold.filter((amount, at) => amount && amount === bold[at - 1])).toEqual([])
  })

  test('speak the language of whoever asked', async () => {
    await speak('zh')
    const { body } = await open(await ticketOf())
    for (const said of ['<html lang="zh-Hans">', '服务合同', '2026-03-02 至 2027-03-01（1 年）', '大写'])
      expect(body).toContain(said)
  })

  test('show the tax numbers that were frozen with the invoice, whatever they are now', async () => {
    await companies({ tax_number: '12345678' })
    const { contract_id } = await bought(server, buyer, { code: 'second' })
    await companies({ tax_number: '87654321' })
    const { body } = await open(await ticketOf(buyer, contract_id))
    expect(body.match(/<dt>Tax number<\/dt><dd>12345678<\/dd>/g)).toHaveLength(2)
    expect(body).not.toContain('87654321')
    await speak('zh')
    const chinese = await open(await ticketOf(buyer, contract_id))
    expect(chinese.body.match(/<dt>税号<\/dt><dd>12345678<\/dd>/g)).toHaveLength(2)
  })

  test('say nothing of tax numbers where none was frozen, or the invoice is from before there were any', async () => {
    await companies({ tax_number: '87654321' })
    expect((await open(await ticketOf())).body).not.toMatch(/Tax number|87654321/)
    // Nobody may change an invoice.
    const older = sql`update invoice set content = content #- '{seller,tax_number}' #- '{buyer,tax_number}'`
    const made = await pastPolicies(server.app.database, (db) => older.execute(db))
    expect(made.numAffectedRows).toBe(1n)
    expect((await open(await ticketOf())).body).not.toMatch(/Tax number|87654321/)
  })

  test('run no script and take no style but the page’s own (H-08)', async () => {
    const { headers, body } = await open(await ticketOf())
    const policy = String(headers['content-security-policy'])
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(body.match(/<(script|style)[^>]*>/g)).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`])
    expect((await open(await ticketOf())).headers['content-security-policy']).not.toContain(nonce)
  })

  test('open once, of fifty at once for one, and not after a minute', async () => {
    const url = await ticketOf()
    const all = await Promise.all(Array.from({ length: 50 }, () => open(url)))
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(all.filter(({ statusCode }) => statusCode === 404)).toHaveLength(49)
    const late = await ticketOf()
    server.clock.now += 60_001
    const answer = await open(late)
    expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('This address no longer works')])
    expect((await open(late, 'application/json')).json().errorCode).toBe('NOT_FOUND')
  })

  test('are for whoever orders for that company, and for staff who order', async () => {
    const asked = { kind: 'contract', id: shop.contract_id }
    expect((await ask(await server.signIn('admin@alpha'), asked)).statusCode).toBe(403)
    expect((await ask(await server.signIn('order@beta'), asked)).statusCode).toBe(404)
    expect((await ask(buyer, { ...asked, id: 999_999 })).statusCode).toBe(404)
    const staff = await server.signIn('order@m18')
    expect((await open(await ticketOf(staff))).body).toContain(canaries.alpha)
  })

  test('show nothing any more to who lost the order flag meanwhile', async () => {
    const url = await ticketOf()
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ orders: false }).where('id', '=', buyer.userId).execute(),
    )
    expect((await open(url)).statusCode).toBe(404)
  })

  test('stand in the trail, and are counted', async () => {
    for (let at = 0; at < 30; at++) await ticketOf()
    expect((await ask(buyer, { kind: 'contract', id: shop.contract_id })).json().errorCode).toBe('RATE_LIMITED')
    server.clock.now += 61_000
    expect((await ask(buyer, { kind: 'contract', id: shop.contract_id })).statusCode).toBe(200)
    const noted = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'print').execute(),
    )
    expect(noted).toHaveLength(31)
    expect(JSON.stringify(noted)).toContain(String(shop.contract))
  })

  test('keep no key', async () => {
    const key = (await ticketOf()).split('/').at(-1)
    const rows = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('ticket').selectAll().execute(),
    )
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})
