/** Tests the private calendar feed of due dates: its user, its end, and its format (RFC 5545). */
import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { buyOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { canaries, password } from '#tests/support/server/world.ts'

describe('calendar feeds', () => {
  const fixture = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
  })

  const url = '/api/m18s/calendar'
  const renew = async (caller = buyer): Promise<string> =>
    new URL((await caller.send({ method: 'POST', url })).json().url).pathname
  const read = (path: string) => server.send({ url: path })
  const unfoldLines = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

  test('contain the last day of each contract and the due day of each payment', async () => {
    await buyOrder(server, buyer, { code: 'paidone', name: 'Paid; one, two\\three' })
    await placeOrder(buyer, { code: 'waits', name: 'Waits' })
    const response = await read(await renew())
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect(response.headers['cache-control']).toBe('no-store')
    const lines = unfoldLines(response.body)
    expect(lines.filter((line) => line.startsWith('DTSTART')).sort()).toEqual([
      'DTSTART;VALUE=DATE:20260309',
      'DTSTART;VALUE=DATE:20270301',
    ])
    expect(lines).toContain('SUMMARY:Contract ends: Paid\\; one\\, two\\\\three (paidone)')
    expect(lines).toContain('SUMMARY:Pay HKD 42\\,000.00: Waits (waits)')
    expect(lines.filter((line) => line.startsWith('URL'))).toHaveLength(2)
  })

  test('are well-formed, with correct line ends and at most 75 bytes per row', async () => {
    await buyOrder(server, buyer, { code: 'longone', name: '一份名称很长的合同，长到必须折行'.repeat(4) })
    const { body, rawPayload } = await read(await renew())
    expect(body.endsWith('END:VCALENDAR\r\n')).toBe(true)
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    for (const line of body.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(rawPayload.toString('utf8')).not.toContain('�')
    const lines = unfoldLines(body)
    for (const line of ['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:PUBLISH']) expect(lines).toContain(line)
    for (const property of ['UID', 'DTSTAMP', 'DTSTART', 'SUMMARY'])
      expect(lines.filter((line) => line.startsWith(property))).toHaveLength(1)
  })

  test('end when their user changes the password', async () => {
    const path = await renew()
    expect((await read(path)).statusCode).toBe(200)
    const response = await buyer.send({
      method: 'POST',
      url: '/api/m18s/password',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: String(new URLSearchParams({ orgPwd: password, newPwd: 'Loud-harbour-over-28' })),
    })
    expect([response.statusCode, (await read(path)).statusCode]).toEqual([204, 404])
  })

  test('keep the ids of entries, and drop entries that are done', async () => {
    const order = (await placeOrder(buyer, { code: 'waits', name: 'Waits' })).json()
    const path = await renew()
    const readUids = async () => unfoldLines((await read(path)).body).filter((line) => line.startsWith('UID'))
    const uidsBefore = await readUids()
    expect(uidsBefore).toEqual([`UID:pay-${order.id}@${new URL(server.app.config.publicUrl).host}`])
    expect(await readUids()).toEqual(uidsBefore)
    server.clock.now += 9 * 86_400_000
    expect(await readUids()).toEqual([])
  })

  test('use the language of their user', async () => {
    await buyOrder(server, buyer, { code: 'paidone' })
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ language: 'zh' }).where('id', '=', buyer.userId).execute(),
    )
    expect(unfoldLines((await read(await renew())).body)).toContain('SUMMARY:合同到期：Shop（paidone）')
  })

  test("contain only the dates of the user's company", async () => {
    const otherBuyer = await server.signIn('order@beta')
    await buyOrder(server, otherBuyer, { code: 'theirs', name: canaries.beta })
    expect((await read(await renew())).body).not.toContain(canaries.beta)
  })

  test('have one address, which a new address replaces and which can be revoked', async () => {
    expect((await buyer.send({ url })).json()).toEqual({ since: null })
    const first = await renew()
    expect((await buyer.send({ url })).json()).toEqual({ since: '2026-03-02 10:00:00' })
    const second = await renew()
    expect([(await read(first)).statusCode, (await read(second)).statusCode]).toEqual([404, 200])
    expect((await buyer.send({ method: 'DELETE', url })).statusCode).toBe(204)
    expect((await read(second)).statusCode).toBe(404)
    expect((await buyer.send({ url })).json()).toEqual({ since: null })
  })

  test('require the order right, and end when the right is removed', async () => {
    const path = await renew()
    const admin = await server.signIn('admin@alpha')
    expect((await admin.send({ method: 'POST', url })).statusCode).toBe(403)
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ orders: false }).where('id', '=', buyer.userId).execute(),
    )
    expect((await read(path)).statusCode).toBe(404)
  })

  test('store no key', async () => {
    const key = (await renew()).split('/').at(-2)
    const rows = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('calendar_feed').selectAll().execute(),
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})
