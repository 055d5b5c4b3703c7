/** Addresses for one look end with the session that made them, and with the right to make them (decision 71). */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { timestampIn } from '#domain/time.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { LogLine } from '#server/drivers/hosting/driver.ts'
import { onConnections } from '#tests/support/database.ts'
import type { SignedIn, TestServer } from '#tests/support/server.ts'
import { bought, setUpShop } from '#tests/support/shop-data.ts'

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

  const stamp = (offset: number) => timestampIn(server.app.config.timeZone, server.clock.now + offset)
  const kinds = {
    'a log': {
      owner: 'order@alpha',
      admin: 'admin@alpha',
      right: { order: false },
      async issue(by: SignedIn) {
        const payload = { id: serviceId, from: stamp(-60_000), to: stamp(60_000) }
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

    it('fault 17a still opens when another session of its user ends, once', async () => {
      const by = await server.signIn(owner)
      const elsewhere = await server.signIn(owner)
      const url = await issue(by)
      await elsewhere.send({ method: 'POST', url: '/api/m18s/logout' })
      expect(await open(url)).toBe(200)
      expect(await open(url)).toBe(404)
    })
  })
})
