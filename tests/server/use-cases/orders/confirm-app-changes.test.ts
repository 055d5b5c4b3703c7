/** Apps of a service that runs are changed by nobody who was not asked (contracts 4, D44). */
import { beforeEach, describe, expect, test } from 'vitest'
import { insertAppVersion, replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buyOrder, type OrderRow, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('a change of a service', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  let order: OrderRow
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    order = await buyOrder(fixture.server, buyer)
  })

  const setSystemStatus = (status: number) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('service')
        .set({ system_status: status })
        .where('code', '=', order.code as string)
        .execute(),
    )
  /** Of the same company, and orders as well. */
  async function signInColleague(): Promise<SignedIn> {
    const id = fixture.server.world.users['user@alpha'] ?? 0
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute(),
    )
    return fixture.server.signIn('user@alpha')
  }
  const change = async (fields: object, caller = buyer) => {
    const payload = { type: 'change', contract_id: order.contract_id, ...fields }
    const response = await caller.send({ method: 'POST', url: '/api/contract', payload })
    return { ...response.json(), http: response.statusCode }
  }
  // With supply chain the hidden module for stock taking joins, and brings its app.
  const widerChange = { modules: ['core', 'fin', 'scm'] }
  // What is left is below the minimum fee, and what was paid for the rest is not refunded.
  const smallerChange = { modules: ['doc'], confirm_discard: '22000.00' }
  const requestConfirmKey = async (fields: object = widerChange): Promise<string> =>
    (await change(fields)).data.confirm_key

  test('that is not there yet asks nothing', async () => {
    await setSystemStatus(0)
    expect((await change(widerChange)).http).toBe(200)
  })

  test('that runs, with the same apps, asks nothing', async () => {
    await setSystemStatus(2)
    expect((await change({ users: 20 })).http).toBe(200)
  })

  describe('that runs, with other apps', () => {
    beforeEach(() => setSystemStatus(2))

    test('asks, and is made when it is sent again with the key', async () => {
      const refusal = await change(widerChange)
      expect(refusal).toMatchObject({
        http: 409,
        errorCode: 'APP_CONFIRM',
        data: {
          confirm_info: [{ code: 'barcode', change: 'enter' }],
          confirm_key: expect.stringMatching(/^[\w-]{57}$/),
        },
      })
      const response = await change({ ...widerChange, confirmKey: refusal.data.confirm_key })
      expect(response).toMatchObject({ http: 200, type: 'change', state: 'unpaid' })
    })

    test('asks also where apps leave', async () => {
      expect((await change(smallerChange)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('has made nothing while it asks', async () => {
      await change(widerChange)
      expect((await buyer.send({ url: `/api/sorder/${order.id}` })).json().pending).toBe(null)
    })

    test('takes a key once, of two at the same moment as well', async () => {
      const confirmKey = await requestConfirmKey()
      const responses = await Promise.all([1, 2].map(() => change({ ...widerChange, confirmKey })))
      expect(responses.map(({ http }) => http).sort()).toEqual([200, 409])
    })

    test('takes no key for something else, of somebody else, or made up', async () => {
      const confirmKey = await requestConfirmKey()
      const refusal = { http: 409, errorCode: 'APP_CONFIRM' }
      expect(await change({ ...widerChange, users: 30, confirmKey })).toMatchObject(refusal)
      expect(await change({ modules: ['core', 'fin', 'scm', 'doc'], confirmKey })).toMatchObject(refusal)
      expect(await change({ ...widerChange, confirmKey }, await signInColleague())).toMatchObject(refusal)
      expect(
        await change({ ...widerChange, confirmKey: confirmKey.replace(/.$/, (last) => (last === '_' ? '-' : '_')) }),
      ).toMatchObject(refusal)
      expect(await change({ ...widerChange, confirmKey: 'x'.repeat(57) })).toMatchObject(refusal)
      expect(await change({ ...widerChange, confirmKey })).toMatchObject({ http: 200 })
    })

    test('takes no key that is ten minutes old', async () => {
      const confirmKey = await requestConfirmKey()
      fixture.server.clock.now += 10 * 60_000
      buyer = await fixture.server.signIn('order@alpha')
      expect(await change({ ...widerChange, confirmKey })).toMatchObject({ http: 409, errorCode: 'APP_CONFIRM' })
    })
  })

  describe('that runs apps of an older version', () => {
    beforeEach(() => setSystemStatus(2))

    const recordAppVersions = (apps: Record<string, string>) =>
      runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
        const serviceQuery = db
          .selectFrom('service')
          .select(['id', 'company_id'])
          .where('code', '=', order.code as string)
        const { id, company_id: companyId } = await serviceQuery.executeTakeFirstOrThrow()
        await replaceServiceApps(db, { id, companyId }, new Map(Object.entries(apps)))
      })
    const publish = (version: string) =>
      runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        insertAppVersion(db, {
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
          create_time: fixture.server.clock.now,
        }),
      )
    const versionChange = { code: 'framework', change: 'version', from: '1.9', to: '1.10' }

    test('asks about the version, and is made when it is sent again with the key', async () => {
      await recordAppVersions({ framework: '1.9' })
      const refusal = await change({ users: 20 })
      expect([refusal.errorCode, refusal.data.confirm_info]).toEqual(['APP_CONFIRM', [versionChange]])
      expect(await change({ users: 20, confirmKey: refusal.data.confirm_key })).toMatchObject({ http: 200 })
    })

    test('asks about apps that enter, leave and change their version at once', async () => {
      await recordAppVersions({ framework: '1.9' })
      expect((await change(widerChange)).data.confirm_info).toEqual([
        { code: 'barcode', change: 'enter' },
        versionChange,
      ])
      // What leaves does not change its version as well.
      expect((await change(smallerChange)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('asks when an extension would bring the version along as well', async () => {
      await recordAppVersions({ framework: '1.9' })
      expect((await change({ type: 'extend', period: 1 })).data.confirm_info).toEqual([versionChange])
    })

    test('asks the provider’s staff as well, who act for the company', async () => {
      await recordAppVersions({ framework: '1.9' })
      const refusal = await change({ users: 20 }, await fixture.server.signIn('second@m18'))
      expect(refusal.data.confirm_info).toEqual([versionChange])
    })

    test.each([
      ['the newest', { framework: '1.10' }],
      ['of apps that are not in its modules', { barcode: '2.0' }],
      ['that nobody has recorded', {}],
    ])('asks nothing about a version that is %s', async (_, apps) => {
      await recordAppVersions(apps)
      expect((await change({ users: 20 })).http).toBe(200)
    })

    test('asks again when another version was published between the question and the answer', async () => {
      await recordAppVersions({ framework: '1.9' })
      const confirmKey = await requestConfirmKey({ users: 20 })
      await publish('1.11')
      const refusal = await change({ users: 20, confirmKey })
      expect([refusal.errorCode, refusal.data.confirm_info]).toEqual([
        'APP_CONFIRM',
        [{ ...versionChange, to: '1.11' }],
      ])
      expect(await change({ users: 20, confirmKey: refusal.data.confirm_key })).toMatchObject({ http: 200 })
    })

    test('needs no key any more for what the service has been given meanwhile', async () => {
      await recordAppVersions({ framework: '1.9' })
      const confirmKey = await requestConfirmKey({ users: 20 })
      await recordAppVersions({ framework: '1.10' })
      expect(await change({ users: 20, confirmKey })).toMatchObject({ http: 200 })
    })
  })
})
