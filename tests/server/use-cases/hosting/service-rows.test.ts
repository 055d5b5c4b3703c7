/** Tests the list of hosted services: who sees which rows, their fields, and how devices receive changes (M111, M121, Z-27). */
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

  it('Customers see the services of their company, provider admins all, filtered by company and text', async () => {
    expect(getCodes(await list(alpha))).toEqual(['alpha1'])
    const staff = await fixture.server.signIn('admin@m18')
    expect(getCodes(await list(staff))).toEqual(['alpha1', 'beta1'])
    expect(getCodes(await list(staff, `?companyId=${fixture.server.world.companies.beta}`))).toEqual(['beta1'])
    for (const searchText of ['%E5%BA%97', 'BETA1', 'beta'])
      expect(getCodes(await list(staff, `?searchText=${searchText}`))).toContain('beta1')
    expect(getCodes(await list(staff, '?searchText=nobody'))).toEqual([])
    expect(getCodes(await list(staff, '?sortField=company_name&sortOrder=desc'))).toEqual(['beta1', 'alpha1'])
  })

  it('A customer gets 404 for the services of another company', async () => {
    const { status, data } = await list(alpha, `?companyId=${fixture.server.world.companies.beta}`)
    expect([status, data]).toEqual([404, null])
  })

  it('The unfiltered query returns no rows to customers and all to the provider (N-10)', async () => {
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

  it('A row has the fields of its contract', async () => {
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

  it('Devices get a row again after an unpaid change, a new company name and the end of the contract', async () => {
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

  it('A service that was ordered but never paid has no row', async () => {
    const order = (await placeOrder(alpha, { code: 'unpaid1' })).json()
    expect(getCodes(await list(alpha))).toEqual(['alpha1'])
    await payOrder(fixture.server, order)
    expect(getCodes(await list(alpha))).toEqual(['alpha1', 'unpaid1'])
  })
})
