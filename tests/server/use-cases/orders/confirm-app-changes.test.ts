/** Apps of a service that runs are changed by nobody who was not asked (contracts 4, D44). */
import { beforeEach, describe, expect, test } from 'vitest'
import { insertVersion, recordApps } from '#server/db/catalogue/apps.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { bought, type Ordered, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('a change of a service', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  let order: Ordered
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    order = await bought(the.server, buyer)
  })

  const runs = (status: number) =>
    inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('service')
        .set({ system_status: status })
        .where('code', '=', order.code as string)
        .execute(),
    )
  /** Of the same company, and orders as well. */
  async function colleague(): Promise<SignedIn> {
    const id = the.server.world.users['user@alpha'] ?? 0
    await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute(),
    )
    return the.server.signIn('user@alpha')
  }
  const change = async (fields: object, by = buyer) => {
    const payload = { type: 'change', contract_id: order.contract_id, ...fields }
    const answer = await by.send({ method: 'POST', url: '/api/contract', payload })
    return { ...answer.json(), http: answer.statusCode }
  }
  // With supply chain the hidden module for stock taking joins, and brings its app.
  const wider = { modules: ['core', 'fin', 'scm'] }
  // What is left is below the minimum fee, and what was paid for the rest is not refunded.
  const fewer = { modules: ['doc'], confirm_discard: '22000.00' }
  const keyOf = async (fields: object = wider): Promise<string> => (await change(fields)).data.confirm_key

  test('that is not there yet asks nothing', async () => {
    await runs(0)
    expect((await change(wider)).http).toBe(200)
  })

  test('that runs, with the same apps, asks nothing', async () => {
    await runs(2)
    expect((await change({ users: 20 })).http).toBe(200)
  })

  describe('that runs, with other apps', () => {
    beforeEach(() => runs(2))

    test('asks, and is made when it is sent again with the key', async () => {
      const asked = await change(wider)
      expect(asked).toMatchObject({
        http: 409,
        errorCode: 'APP_CONFIRM',
        data: {
          confirm_info: [{ code: 'barcode', change: 'enter' }],
          confirm_key: expect.stringMatching(/^[\w-]{57}$/),
        },
      })
      const made = await change({ ...wider, confirmKey: asked.data.confirm_key })
      expect(made).toMatchObject({ http: 200, type: 'change', state: 'unpaid' })
    })

    test('asks also where apps leave', async () => {
      expect((await change(fewer)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('has made nothing while it asks', async () => {
      await change(wider)
      expect((await buyer.send({ url: `/api/sorder/${order.id}` })).json().pending).toBe(null)
    })

    test('takes a key once, of two at the same moment as well', async () => {
      const confirmKey = await keyOf()
      const both = await Promise.all([1, 2].map(() => change({ ...wider, confirmKey })))
      expect(both.map(({ http }) => http).sort()).toEqual([200, 409])
    })

    test('takes no key for something else, of somebody else, or made up', async () => {
      const confirmKey = await keyOf()
      const again = { http: 409, errorCode: 'APP_CONFIRM' }
      expect(await change({ ...wider, users: 30, confirmKey })).toMatchObject(again)
      expect(await change({ modules: ['core', 'fin', 'scm', 'doc'], confirmKey })).toMatchObject(again)
      expect(await change({ ...wider, confirmKey }, await colleague())).toMatchObject(again)
      expect(
        await change({ ...wider, confirmKey: confirmKey.replace(/.$/, (last) => (last === '_' ? '-' : '_')) }),
      ).toMatchObject(again)
      expect(await change({ ...wider, confirmKey: 'x'.repeat(57) })).toMatchObject(again)
      expect(await change({ ...wider, confirmKey })).toMatchObject({ http: 200 })
    })

    test('takes no key that is ten minutes old', async () => {
      const confirmKey = await keyOf()
      the.server.clock.now += 10 * 60_000
      buyer = await the.server.signIn('order@alpha')
      expect(await change({ ...wider, confirmKey })).toMatchObject({ http: 409, errorCode: 'APP_CONFIRM' })
    })
  })

  describe('that runs apps of an older version', () => {
    beforeEach(() => runs(2))

    const given = (apps: Record<string, string>) =>
      inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
        const of = db
          .selectFrom('service')
          .select(['id', 'company_id'])
          .where('code', '=', order.code as string)
        const { id, company_id: companyId } = await of.executeTakeFirstOrThrow()
        await recordApps(db, { id, companyId }, new Map(Object.entries(apps)))
      })
    const publish = (version: string) =>
      inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        insertVersion(db, {
          provider: 'm18',
          code: 'framework',
          name: 'Framework',
          module: 'base',
          version,
          min_version_required: null,
          release_date: null,
          flags: '[]',
          requires: '[]',
          icon: null,
          markdown: null,
          create_time: the.server.clock.now,
        }),
      )
    const older = { code: 'framework', change: 'version', from: '1.9', to: '1.10' }

    test('asks about the version, and is made when it is sent again with the key', async () => {
      await given({ framework: '1.9' })
      const asked = await change({ users: 20 })
      expect([asked.errorCode, asked.data.confirm_info]).toEqual(['APP_CONFIRM', [older]])
      expect(await change({ users: 20, confirmKey: asked.data.confirm_key })).toMatchObject({ http: 200 })
    })

    test('asks about apps that enter, leave and change their version at once', async () => {
      await given({ framework: '1.9' })
      expect((await change(wider)).data.confirm_info).toEqual([{ code: 'barcode', change: 'enter' }, older])
      // What leaves does not change its version as well.
      expect((await change(fewer)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('asks when an extension would bring the version along as well', async () => {
      await given({ framework: '1.9' })
      expect((await change({ type: 'extend', period: 1 })).data.confirm_info).toEqual([older])
    })

    test('asks the provider’s staff as well, who act for the company', async () => {
      await given({ framework: '1.9' })
      const asked = await change({ users: 20 }, await the.server.signIn('second@m18'))
      expect(asked.data.confirm_info).toEqual([older])
    })

    test.each([
      ['the newest', { framework: '1.10' }],
      ['of apps that are not in its modules', { barcode: '2.0' }],
      ['that nobody has recorded', {}],
    ])('asks nothing about a version that is %s', async (_, apps) => {
      await given(apps)
      expect((await change({ users: 20 })).http).toBe(200)
    })

    test('asks again when another version was published between the question and the answer', async () => {
      await given({ framework: '1.9' })
      const confirmKey = await keyOf({ users: 20 })
      await publish('1.11')
      const again = await change({ users: 20, confirmKey })
      expect([again.errorCode, again.data.confirm_info]).toEqual(['APP_CONFIRM', [{ ...older, to: '1.11' }]])
      expect(await change({ users: 20, confirmKey: again.data.confirm_key })).toMatchObject({ http: 200 })
    })

    test('needs no key any more for what the service has been given meanwhile', async () => {
      await given({ framework: '1.9' })
      const confirmKey = await keyOf({ users: 20 })
      await given({ framework: '1.10' })
      expect(await change({ users: 20, confirmKey })).toMatchObject({ http: 200 })
    })
  })
})
