/** Tests that one-time addresses end with the session that created them, and with the right to create them (decision 71). */
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { findInstant, toTimestamp } from '#domain/time.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import { onConnections } from '#tests/support/server/database.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

/** Reads the first bytes of a response from a listening server, then closes the connection. */
function interruptResponse(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, (response) => {
      response.once('data', () => {
        response.destroy()
        resolve()
      })
    })
    clientRequest.once('error', reject)
    clientRequest.end()
  })
}

onConnections('tickets', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  let serviceId = 0
  let contractId = 0
  beforeEach(async () => {
    server = fixture.server
    const shop = await buyOrder(server, await server.signIn('order@alpha'), { code: 'alpha1' })
    contractId = shop.contract_id
    const { id } = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service').select('id').where('code', '=', 'alpha1').executeTakeFirstOrThrow(),
    )
    serviceId = id
    async function* readLog(): AsyncGenerator<InstanceLogLine> {
      yield { time: server.clock.now - 1000, task: 1, level: 'info', text: 'started' }
    }
    Object.assign(server.app, { hosting: { ...server.app.hosting, readLog } })
  })

  const formatTime = (offset: number) => toTimestamp(server.app.config.timeZone, server.clock.now + offset).slice(0, 16)
  const kinds = {
    'a log': {
      owner: 'order@alpha',
      admin: 'admin@alpha',
      permission: { order: false },
      async issue(caller: SignedIn) {
        const payload = { id: serviceId, from: formatTime(-60_000), to: `${formatTime(60_000)}:00` }
        return `/public/log/${(await caller.send({ method: 'POST', url: '/api/aws/log', payload })).json()}`
      },
    },
    'a printed contract': {
      owner: 'order@alpha',
      admin: 'admin@alpha',
      permission: { order: false },
      async issue(caller: SignedIn): Promise<string> {
        const payload = { kind: 'contract', id: contractId }
        return (await caller.send({ method: 'POST', url: '/api/print', payload })).json().url
      },
    },
    'a price list': {
      owner: 'second@m18',
      admin: 'admin@m18',
      permission: { admin: false },
      async issue(caller: SignedIn) {
        const payload = { id: fixture.priceListIds[0] }
        return `/public/template/price/${(await caller.send({ method: 'POST', url: '/api/template/price/export', payload })).json()}`
      },
    },
  }
  const openTicket = async (url: string) => (await server.send({ url })).statusCode

  describe.each(Object.entries(kinds))('a ticket of %s', (_, { owner, admin, permission, issue }) => {
    const endings: Record<string, (caller: SignedIn) => Promise<unknown>> = {
      'its user signed out': (caller) => caller.send({ method: 'POST', url: '/api/m18s/logout' }),
      'its session was ended by another session': async () => {
        const otherSession = await server.signIn(owner)
        return otherSession.send({ method: 'DELETE', url: '/api/m18s/sessions' })
      },
      'its user was disabled': async (caller) =>
        (await server.signIn(admin)).send({ method: 'POST', url: `/api/users/disable/${caller.userId}` }),
      'its user was deleted': async (caller) =>
        (await server.signIn(admin)).send({ method: 'DELETE', url: `/api/m18s/user/${caller.userId}` }),
      'its user lost the right': async (caller) =>
        (await server.signIn(admin)).send({
          method: 'PUT',
          url: `/api/m18s/company-user/${caller.userId}`,
          payload: permission,
          headers: { 'idempotency-key': randomUUID() },
        }),
    }
    it.each(Object.keys(endings))('is refused after %s (fault 17a)', async (endingName) => {
      const caller = await server.signIn(owner)
      const url = await issue(caller)
      const endResponse = (await endings[endingName]?.(caller)) as { statusCode: number }
      expect(endResponse.statusCode).toBeLessThan(300)
      expect(await openTicket(url)).toBe(404)
    })

    const buildCookie = (character: string) => ({ cookie: `portal-device=${character.repeat(32)}` })
    const readStatus = async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      (await server.send({ method, url, headers })).statusCode

    it.each([
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
    ])('is not used up by a prefetch with %s: %s (fault 20a)', async (name, value) => {
      const url = await issue(await server.signIn(owner))
      expect(await readStatus(url, { [name]: value })).toBe(503)
      expect(await readStatus(url)).toBe(200)
    })

    it('is not used up by HEAD, which returns the status that GET would return (fault 20b)', async () => {
      const url = await issue(await server.signIn(owner))
      expect(await readStatus(url, {}, 'HEAD')).toBe(200)
      expect(await readStatus(url)).toBe(200)
      expect(await readStatus(url, {}, 'HEAD')).toBe(404)
    })

    it('opens again for a minute, in the same browser only (fault 20d)', async () => {
      const url = await issue(await server.signIn(owner))
      expect(await readStatus(url, buildCookie('a'))).toBe(200)
      expect(await readStatus(url, { ...buildCookie('a'), 'sec-fetch-site': 'none' })).toBe(200)
      expect(await readStatus(url, { ...buildCookie('a'), 'sec-fetch-site': 'cross-site' })).toBe(404)
      expect(await readStatus(url, buildCookie('b'))).toBe(404)
      expect(await readStatus(url)).toBe(404)
      server.clock.now += 59_000
      expect(await readStatus(url, buildCookie('a'))).toBe(200)
      server.clock.now += 2_000
      expect(await readStatus(url, buildCookie('a'))).toBe(404)
    })

    it('does not open again once its session has ended (fault 20e)', async () => {
      const caller = await server.signIn(owner)
      const url = await issue(caller)
      expect(await readStatus(url, buildCookie('a'))).toBe(200)
      await caller.send({ method: 'POST', url: '/api/m18s/logout' })
      expect(await readStatus(url, buildCookie('a'))).toBe(404)
    })

    it('still opens once after another session of its user has ended (fault 17a)', async () => {
      const caller = await server.signIn(owner)
      const otherSession = await server.signIn(owner)
      const url = await issue(caller)
      await otherSession.send({ method: 'POST', url: '/api/m18s/logout' })
      expect(await openTicket(url)).toBe(200)
      expect(await openTicket(url)).toBe(404)
    })
  })

  it.each([
    ['a time with minutes', '2026-07-01 10:00', 200],
    ['a time with zero seconds', '2026-07-01 10:00:00', 200],
    ['a time with other seconds', '2026-07-01 10:00:30', 400],
    ['a date without a time', '2026-07-01', 400],
    ['no time', '', 400],
  ])('A log ticket accepts only times of whole minutes: %s (fault 36M119b)', async (_, from, status) => {
    server.clock.now = findInstant(server.app.config.timeZone, '2026-07-02 10:00:00') ?? 0
    const caller = await server.signIn('order@alpha')
    const payload = { id: serviceId, from, to: '2026-07-02 10:01' }
    expect((await caller.send({ method: 'POST', url: '/api/aws/log', payload })).statusCode).toBe(status)
  })

  const issueLogTicket = async () => kinds['a log'].issue(await server.signIn('order@alpha'))
  const setLogReader = (readLog: () => AsyncGenerator<InstanceLogLine>) =>
    Object.assign(server.app, { hosting: { ...server.app.hosting, readLog } })
  const buildLogLine = () => ({
    time: server.clock.now - 1000,
    task: 1,
    level: 'info' as const,
    text: 'x'.repeat(1000),
  })

  it('A log ticket is not used up by a first attempt that was interrupted (fault 20c)', async () => {
    const interruption = Promise.withResolvers<void>()
    let callCount = 0
    setLogReader(async function* readLog() {
      callCount += 1
      // The first call only checks that there is a log line. The second response cannot end before its reader has closed the connection.
      for (let index = 0; index < 200; index++) yield buildLogLine()
      if (callCount === 2) await interruption.promise
    })
    const url = await issueLogTicket()
    const address = await server.fastify.listen({ host: '127.0.0.1', port: 0 })
    await interruptResponse(`${address}${url}`)
    interruption.resolve()
    await vi.waitFor(async () => expect(await openTicket(url)).toBe(200))
    expect(await openTicket(url)).toBe(404)
  })

  it('A log ticket is not used up when the host of the service fails (fault 20c)', async () => {
    const url = await issueLogTicket()
    let isDown = true
    setLogReader(async function* readLog() {
      if (isDown) throw new Error('the host is down')
      yield buildLogLine()
    })
    expect(await openTicket(url)).toBeGreaterThanOrEqual(500)
    isDown = false
    await vi.waitFor(async () => expect(await openTicket(url)).toBe(200))
  })
})
