/** Tests the first steps of a company: each state follows from the data, and from the settings of the installation (decision 112). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { toPlainDate } from '#domain/time.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { readSetup as readSetupUseCase } from '#server/use-cases/accounts/setup.ts'
import { openShop, openShopWithOrders, placeOrder } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const dayMs = 86_400_000

async function readSetup(caller: SignedIn): Promise<{ isNew: boolean; states: Record<string, string> }> {
  const { is_new: isNew, steps } = (await caller.send({ url: '/api/m18s/setup' })).json()
  return { isNew, states: Object.fromEntries(steps.map(({ name, state }: Record<string, string>) => [name, state])) }
}

const changeCompany = (id: number, fields: { addr1?: string | null; tax_number?: string | null }) =>
  writeAsSystem(server.app, (db) =>
    db
      .updateTable('company')
      .set({ addr1: null, addr2: null, addr3: null, ...fields })
      .where('id', '=', id)
      .execute(),
  )

describe('a customer', () => {
  test('has four steps, which are ticked by the data', async () => {
    const admin = await server.signIn('admin@alpha')
    const companyId = server.world.companies.alpha
    await changeCompany(companyId, { addr1: '  ' })
    expect((await readSetup(admin)).states).toMatchObject({ colleague: 'done' })
    await bypassPolicies(server.app.database, (db) =>
      db
        .updateTable('portal_user')
        .set({ status: userStatus.deleted })
        .where('company_id', '=', companyId)
        .where('id', '<>', admin.userId)
        .execute(),
    )
    expect(await readSetup(admin)).toEqual({
      isNew: true,
      states: { address: 'open', colleague: 'open', twoStep: 'open', contract: 'open' },
    })
    await admin.send({ method: 'PUT', url: `/api/m18s/company/${companyId}`, payload: { addr1: '1 Harbour Road' } })
    await writeAsSystem(server.app, (db) =>
      db
        .insertInto('factor')
        .values({
          user_id: admin.userId,
          company_id: companyId,
          kind: 'totp',
          name: 'Phone',
          secret: 'x',
          create_time: server.clock.now,
        } as never)
        .execute(),
    )
    expect((await readSetup(admin)).states).toMatchObject({ address: 'done', colleague: 'open', twoStep: 'done' })
  })

  test('is new for 90 days, and as long as it has no contract', async () => {
    const admin = await server.signIn('admin@alpha')
    const setAge = (days: number) =>
      writeAsSystem(server.app, (db) =>
        db
          .updateTable('company')
          .set({ create_time: server.clock.now - days * dayMs } as never)
          .execute(),
      )
    await setAge(91)
    expect(await readSetup(admin)).toMatchObject({ isNew: true, states: { colleague: 'done', contract: 'open' } })
    await openShopWithOrders(server)
    expect(await readSetup(admin)).toEqual({ isNew: false, states: {} })
    await setAge(90)
    expect(await readSetup(admin)).toMatchObject({ isNew: true, states: { contract: 'done' } })
  })

  test('has done the step of the first contract with an order, until that is deleted', async () => {
    const admin = await server.signIn('admin@alpha')
    await openShop(server)
    const customer = await server.signIn('order@alpha')
    const { id } = (
      await placeOrder(customer, { period_start: toPlainDate('Asia/Hong_Kong', server.clock.now) })
    ).json()
    expect(await readSetup(admin)).toMatchObject({ isNew: true, states: { contract: 'done' } })
    await customer.send({ method: 'DELETE', url: `/api/sorder/${id}` })
    expect(await readSetup(admin)).toMatchObject({ isNew: true, states: { contract: 'open' } })
  })

  test('shows its steps to its admins only', async () => {
    for (const name of ['user@alpha', 'order@alpha'])
      expect((await (await server.signIn(name)).send({ url: '/api/m18s/setup' })).statusCode).toBe(403)
  })
})

describe('the provider', () => {
  test('sees what the portal and its settings still need', async () => {
    const admin = await server.signIn('admin@m18')
    await changeCompany(server.world.companies.m18, { tax_number: null })
    expect(await readSetup(admin)).toEqual({
      isNew: true,
      states: { profile: 'open', prices: 'open', mail: 'open', payment: 'open', image: 'open' },
    })
    await changeCompany(server.world.companies.m18, { addr1: '1 Harbour Road', tax_number: '58104427' })
    await openShopWithOrders(server)
    const { config, payments, hosting } = server.app
    server.app.payments = { ...payments, types: ['simulate'] }
    expect((await readSetup(admin)).states).toMatchObject({ profile: 'done', prices: 'done', payment: 'open' })
    try {
      server.app.config = { ...config, smtpUrl: 'smtps://mail.example', hosting: 'docker' }
      server.app.payments = { ...payments, types: ['stripe'] }
      server.app.hosting = { ...noHosting, lookAll: async () => [] }
      expect((await readSetup(admin)).states).toMatchObject({ mail: 'done', payment: 'done', image: 'done' })
      server.app.hosting = noHosting
      expect((await readSetup(admin)).states['image']).toBe('failed')
      // A platform that never answers does not delay the home page.
      server.app.hosting = { ...noHosting, lookAll: () => new Promise(() => undefined) }
      const caller = { companyCode: 'm18', companyId: server.world.companies.m18, userId: admin.userId } as Caller
      const { steps } = await readSetupUseCase(server.app, caller, { hostingTimeoutMs: 1 })
      expect(steps.at(-1)).toEqual({ name: 'image', state: 'failed' })
    } finally {
      Object.assign(server.app, { config, payments, hosting })
    }
  })
})
