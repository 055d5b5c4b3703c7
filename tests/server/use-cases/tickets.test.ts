/** Addresses for one look end with the session that made them, and with the right to make them (decision 71). */
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { instantIn, timestampIn } from '#domain/time.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { LogLine } from '#server/drivers/hosting/driver.ts'
import { onConnections } from '#tests/support/server/database.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'

/** Reads the first bytes of a response from a listening server, then closes the connection. */
function interrupt(url: string): Promise<void> {
  return new Promise((closed, failed) => {
    const sent = request(url, (response) => {
      response.once('data', () => {
        response.destroy()
        closed()
      })
    })
    sent.once('error', failed)
    sent.end()
  })
}

onConnections('tickets', (engine) => {
  const the = setUpShop(engine)
  let server: TestServer
  let serviceId = 0
  let contractId = 0
  beforeEach(async () => {
    server = the.server
    const shop = await bought(server, await server.signIn('order@alpha'), { code: 'alpha1' })
    contractId = shop.contract_id
    const { id } = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service').select('id').where('code', '=', 'alpha1').executeTakeFirstOrThrow(),
    )
    serviceId = id
    async function* readLog(): AsyncGenerator<LogLine> {
      yield { time: server.clock.now - 1000, task: 1, level: 'info', text: 'started' }
    }
    Object.assign(server.app, { hosting: { ...server.app.hosting, readLog } })
  })

  const stamp = (offset: number) => timestampIn(server.app.config.timeZone, server.clock.now + offset).slice(0, 16)
  const kinds = {
    'a log': {
      owner: 'order@alpha',
      admin: 'admin@alpha',
      right: { order: false },
      async issue(by: SignedIn) {
        const payload = { id: serviceId, from: stamp(-60_000), to: `${stamp(60_000)}:00` }
        return `/public/log/${(await by.send({ method: 'POST', url: '/api/aws/log', payload })).json()}`
      },
    },
    'a printed contract': {
      owner: 'order@alpha',
      admin: 'admin@alpha',
      right: { order: false },
      async issue(by: SignedIn): Promise<string> {
        const payload = { kind: 'contract', id: contractId }
        return (await by.send({ method: 'POST', url: '/api/print', payload })).json().url
      },
    },
    'a price list': {
      owner: 'second@m18',
      admin: 'admin@m18',
      right: { admin: false },
      async issue(by: SignedIn) {
        const payload = { id: the.lists[0] }
        return `/public/template/price/${(await by.send({ method: 'POST', url: '/api/template/price/export', payload })).json()}`
      },
    },
  }
  const open = async (url: string) => (await server.send({ url })).statusCode

  describe.each(Object.entries(kinds))('of %s', (_, { owner, admin, right, issue }) => {
    const ends: Record<string, (by: SignedIn) => Promise<unknown>> = {
      'sign-out': (by) => by.send({ method: 'POST', url: '/api/m18s/logout' }),
      'the end of its session from elsewhere': async () => {
        const elsewhere = await server.signIn(owner)
        return elsewhere.send({ method: 'DELETE', url: '/api/m18s/sessions' })
      },
      'a disabled user': async (by) =>
        (await server.signIn(admin)).send({ method: 'POST', url: `/api/users/disable/${by.userId}` }),
      'a deleted user': async (by) =>
        (await server.signIn(admin)).send({ method: 'DELETE', url: `/api/m18s/user/${by.userId}` }),
      'the loss of the right': async (by) =>
        (await server.signIn(admin)).send({
          method: 'PUT',
          url: `/api/m18s/company-user/${by.userId}`,
          payload: right,
          headers: { 'idempotency-key': randomUUID() },
        }),
    }
    it.each(Object.keys(ends))('fault 17a is refused after %s', async (end) => {
      const by = await server.signIn(owner)
      const url = await issue(by)
      const ended = (await ends[end]?.(by)) as { statusCode: number }
      expect(ended.statusCode).toBeLessThan(300)
      expect(await open(url)).toBe(404)
    })

    const cookie = (letter: string) => ({ cookie: `portal-device=${letter.repeat(32)}` })
    const look = async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      (await server.send({ method, url, headers })).statusCode

    it.each([
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
    ])('fault 20a is not used up by a prefetch that says %s: %s', async (name, value) => {
      const url = await issue(await server.signIn(owner))
      expect(await look(url, { [name]: value })).toBe(503)
      expect(await look(url)).toBe(200)
    })

    it('fault 20b is not used up by HEAD, which says whether it would open', async () => {
      const url = await issue(await server.signIn(owner))
      expect(await look(url, {}, 'HEAD')).toBe(200)
      expect(await look(url)).toBe(200)
      expect(await look(url, {}, 'HEAD')).toBe(404)
    })

    it('fault 20d opens again for a minute in the browser that opened it, and in no other', async () => {
      const url = await issue(await server.signIn(owner))
      expect(await look(url, cookie('a'))).toBe(200)
      expect(await look(url, { ...cookie('a'), 'sec-fetch-site': 'none' })).toBe(200)
      expect(await look(url, { ...cookie('a'), 'sec-fetch-site': 'cross-site' })).toBe(404)
      expect(await look(url, cookie('b'))).toBe(404)
      expect(await look(url)).toBe(404)
      server.clock.now += 59_000
      expect(await look(url, cookie('a'))).toBe(200)
      server.clock.now += 2_000
      expect(await look(url, cookie('a'))).toBe(404)
    })

    it('fault 20e is not repeated once its session has ended', async () => {
      const by = await server.signIn(owner)
      const url = await issue(by)
      expect(await look(url, cookie('a'))).toBe(200)
      await by.send({ method: 'POST', url: '/api/m18s/logout' })
      expect(await look(url, cookie('a'))).toBe(404)
    })

    it('fault 17a still opens when another session of its user ends, once', async () => {
      const by = await server.signIn(owner)
      const elsewhere = await server.signIn(owner)
      const url = await issue(by)
      await elsewhere.send({ method: 'POST', url: '/api/m18s/logout' })
      expect(await open(url)).toBe(200)
      expect(await open(url)).toBe(404)
    })
  })

  it.each([
    ['minutes', '2026-07-01 10:00', 200],
    ['minutes with the seconds of all times', '2026-07-01 10:00:00', 200],
    ['a second within a minute', '2026-07-01 10:00:30', 400],
    ['a day', '2026-07-01', 400],
    ['nothing', '', 400],
  ])('fault 36M119b a log is asked for by the minute: %s', async (_, from, status) => {
    server.clock.now = instantIn(server.app.config.timeZone, '2026-07-02 10:00:00') ?? 0
    const by = await server.signIn('order@alpha')
    const payload = { id: serviceId, from, to: '2026-07-02 10:01' }
    expect((await by.send({ method: 'POST', url: '/api/aws/log', payload })).statusCode).toBe(status)
  })

  const issueLog = async () => kinds['a log'].issue(await server.signIn('order@alpha'))
  const hostWith = (readLog: () => AsyncGenerator<LogLine>) =>
    Object.assign(server.app, { hosting: { ...server.app.hosting, readLog } })
  const line = () => ({ time: server.clock.now - 1000, task: 1, level: 'info' as const, text: 'x'.repeat(1000) })

  it('fault 20c is not used up by a first try that was interrupted', async () => {
    const interrupted = Promise.withResolvers<void>()
    let calls = 0
    hostWith(async function* readLog() {
      calls += 1
      // The first call only asks whether there is a line. The second response cannot end before its reader has left.
      for (let at = 0; at < 200; at++) yield line()
      if (calls === 2) await interrupted.promise
    })
    const url = await issueLog()
    const address = await server.fastify.listen({ host: '127.0.0.1', port: 0 })
    await interrupt(`${address}${url}`)
    interrupted.resolve()
    await vi.waitFor(async () => expect(await open(url)).toBe(200))
    expect(await open(url)).toBe(404)
  })

  it('fault 20c is not used up when the host of the service fails', async () => {
    const url = await issueLog()
    let isDown = true
    hostWith(async function* readLog() {
      if (isDown) throw new Error('the host is down')
      yield line()
    })
    expect(await open(url)).toBeGreaterThanOrEqual(500)
    isDown = false
    await vi.waitFor(async () => expect(await open(url)).toBe(200))
  })
})
