/** Tests that a change of the apps of a running service must be confirmed (contracts 4, D44). */
import { beforeEach, describe, expect, test } from 'vitest'
import { insertAppVersion, replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buyOrder, type OrderRow, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('changing the contract of a service', (engine) => {
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
  /** Signs in a colleague of the same company who has the order right. */
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
  // The module `scm` also adds the hidden module for stock taking, with its app.
  const widerChange = { modules: ['core', 'fin', 'scm'] }
  // The remaining module is below the minimum fee, and the amount paid for the removed modules is not refunded.
  const smallerChange = { modules: ['doc'], confirm_discard: '22000.00' }
  const requestConfirmKey = async (fields: object = widerChange): Promise<string> =>
    (await change(fields)).data.confirm_key

  test('A change of a service that is not created yet needs no confirmation', async () => {
    await setSystemStatus(0)
    expect((await change(widerChange)).http).toBe(200)
  })

  test('A change of a running service with the same apps needs no confirmation', async () => {
    await setSystemStatus(2)
    expect((await change({ users: 20 })).http).toBe(200)
  })

  describe('a change with other apps', () => {
    beforeEach(() => setSystemStatus(2))

    test('must be confirmed, and is executed when it is sent again with the key', async () => {
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

    test('must also be confirmed if apps are removed', async () => {
      expect((await change(smallerChange)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('does nothing before it is confirmed', async () => {
      await change(widerChange)
      expect((await buyer.send({ url: `/api/sorder/${order.id}` })).json().pending).toBe(null)
    })

    test('accepts a confirmation key once, also concurrently', async () => {
      const confirmKey = await requestConfirmKey()
      const responses = await Promise.all([1, 2].map(() => change({ ...widerChange, confirmKey })))
      expect(responses.map(({ http }) => http).sort()).toEqual([200, 409])
    })

    test('rejects a forged key, and a key of another change or another user', async () => {
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

    test('rejects a key after ten minutes', async () => {
      const confirmKey = await requestConfirmKey()
      fixture.server.clock.now += 10 * 60_000
      buyer = await fixture.server.signIn('order@alpha')
      expect(await change({ ...widerChange, confirmKey })).toMatchObject({ http: 409, errorCode: 'APP_CONFIRM' })
    })
  })

  describe('a change of a service with older app versions', () => {
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

    test('must be confirmed with the versions, and is executed with the key', async () => {
      await recordAppVersions({ framework: '1.9' })
      const refusal = await change({ users: 20 })
      expect([refusal.errorCode, refusal.data.confirm_info]).toEqual(['APP_CONFIRM', [versionChange]])
      expect(await change({ users: 20, confirmKey: refusal.data.confirm_key })).toMatchObject({ http: 200 })
    })

    test('names added, removed and updated apps together', async () => {
      await recordAppVersions({ framework: '1.9' })
      expect((await change(widerChange)).data.confirm_info).toEqual([
        { code: 'barcode', change: 'enter' },
        versionChange,
      ])
      // A removed app is not also reported as a version change.
      expect((await change(smallerChange)).data.confirm_info).toEqual([{ code: 'framework', change: 'leave' }])
    })

    test('must also be confirmed if it is an extension', async () => {
      await recordAppVersions({ framework: '1.9' })
      expect((await change({ type: 'extend', period: 1 })).data.confirm_info).toEqual([versionChange])
    })

    test('must also be confirmed by staff who act for the company', async () => {
      await recordAppVersions({ framework: '1.9' })
      const refusal = await change({ users: 20 }, await fixture.server.signIn('second@m18'))
      expect(refusal.data.confirm_info).toEqual([versionChange])
    })

    test.each([
      ['the latest', { framework: '1.10' }],
      ['of an app outside its modules', { barcode: '2.0' }],
      ['not recorded', {}],
    ])('needs no confirmation for a version that is %s', async (_, apps) => {
      await recordAppVersions(apps)
      expect((await change({ users: 20 })).http).toBe(200)
    })

    test('must be confirmed again if another version was published meanwhile', async () => {
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

    test('needs no key for a version that the service got meanwhile', async () => {
      await recordAppVersions({ framework: '1.9' })
      const confirmKey = await requestConfirmKey({ users: 20 })
      await recordAppVersions({ framework: '1.10' })
      expect(await change({ users: 20, confirmKey })).toMatchObject({ http: 200 })
    })
  })
})
