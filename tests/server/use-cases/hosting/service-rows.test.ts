/** The list of hosted services: whose it shows, what a row says, and how a device learns of what has changed (M111, M121, Z-27). */
import { beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { buyOrder, placeOrder, payOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('the list of services', (engine) => {
  const fixture = setUpShop(engine)
  let alpha: SignedIn
  let beta: SignedIn
  beforeEach(async () => {
    ;[alpha, beta] = await Promise.all([fixture.server.signIn('order@alpha'), fixture.server.signIn('order@beta')])
    await buyOrder(fixture.server, alpha, { code: 'alpha1', name: 'Shop of alpha' })
    await buyOrder(fixture.server, beta, { code: 'beta1', name: '店铺' })
  })
  const list = async (caller: SignedIn, query = '') => {
    const response = await caller.send({ url: `/api/aws/service${query}` })
    return { status: response.statusCode, change: String(response.headers['x-change']), ...response.json() }
  }
  const getCodes = ({ data }: { data: ServiceResponse[] }) => data.map(({ code }) => code)

  it('shows customers their own services, and provider admins everybody’s, narrowed by company and text', async () => {
    expect(getCodes(await list(alpha))).toEqual(['alpha1'])
    const staff = await fixture.server.signIn('admin@m18')
    expect(getCodes(await list(staff))).toEqual(['alpha1', 'beta1'])
    expect(getCodes(await list(staff, `?companyId=${fixture.server.world.companies.beta}`))).toEqual(['beta1'])
    for (const searchText of ['%E5%BA%97', 'BETA1', 'beta'])
      expect(getCodes(await list(staff, `?searchText=${searchText}`))).toContain('beta1')
    expect(getCodes(await list(staff, '?searchText=nobody'))).toEqual([])
    expect(getCodes(await list(staff, '?sortField=company_name&sortOrder=desc'))).toEqual(['beta1', 'alpha1'])
  })

  it('tells a customer of another company nothing, whatever they name', async () => {
    const { status, data } = await list(alpha, `?companyId=${fixture.server.world.companies.beta}`)
    expect([status, data]).toEqual([404, null])
  })

  it('even a query without a condition over all services gives a customer none, and the provider all (N-10)', async () => {
    const { companies } = fixture.server.world
    const listAllCodes = (companyId: number) =>
      runInTransaction(fixture.server.app, { role: 'portal_app', companyId }, async (db) => {
        const { rows } = await sql<{ code: string }>`select code from all_service_rows() order by code`.execute(db)
        return rows.map(({ code }) => code)
      })
    expect(await listAllCodes(companies.alpha)).toEqual([])
    expect(await listAllCodes(0)).toEqual([])
    expect(await listAllCodes(companies.m18)).toEqual(['alpha1', 'beta1'])
  })

  it('says what the contract says', async () => {
    const { data } = await list(alpha)
    expect(data[0]).toMatchObject({
      code: 'alpha1',
      name: 'Shop of alpha',
      system_status: 0,
      online: 0,
      status: 1,
      period_start: '2026-03-02',
      expired_date: '2027-03-01',
      task_runtime_memory: 0,
      task_desire_count: -1,
      running_tasks: 0,
      os_contract: 0,
      operation: null,
      fault: null,
      stop_date: null,
    })
    expect(data[0].contract_id).toBeGreaterThan(0)
  })

  it('a device learns of a change to pay for, of a new name of the company, and of the end of the contract', async () => {
    const firstList = await list(alpha)
    const [{ contract_id }] = firstList.data
    const body = {
      type: 'change',
      contract_id,
      users: 20,
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      modules: ['core', 'fin'],
    }
    const changeResponse = await alpha.send({ method: 'POST', url: '/api/contract', payload: body })
    expect(changeResponse.statusCode).toBe(200)
    const secondList = await list(alpha, `?since=${firstList.change}`)
    expect(secondList.changed).toMatchObject([{ code: 'alpha1', os_contract: changeResponse.json().id }])

    const admin = await fixture.server.signIn('admin@alpha')
    const company = fixture.server.world.companies.alpha
    const companyRow = (await admin.send({ url: `/api/m18s/company/${company}` })).json()
    const renameResponse = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company/${company}`,
      payload: { ...companyRow, name: 'Alpha renamed' },
    })
    expect(renameResponse.statusCode).toBe(200)
    const thirdList = await list(alpha, `?since=${secondList.change}`)
    expect(thirdList.changed).toMatchObject([{ company_name: 'Alpha renamed' }])
    expect((await list(alpha, `?since=${thirdList.change}`)).changed).toEqual([])
  })

  it('has no row for what was ordered and never paid', async () => {
    const order = (await placeOrder(alpha, { code: 'unpaid1' })).json()
    expect(getCodes(await list(alpha))).toEqual(['alpha1'])
    await payOrder(fixture.server, order)
    expect(getCodes(await list(alpha))).toEqual(['alpha1', 'unpaid1'])
  })
})
