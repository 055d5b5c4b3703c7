/** The list of hosted services: whose it shows, what a row says, and how a device learns of what has changed (M111, M121, Z-27). */
import { beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import type { ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import { bought, order, paid, setUpShop } from '#tests/support/orders/shop-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('the list of services', (engine) => {
  const the = setUpShop(engine)
  let alpha: SignedIn
  let beta: SignedIn
  beforeEach(async () => {
    ;[alpha, beta] = await Promise.all([the.server.signIn('order@alpha'), the.server.signIn('order@beta')])
    await bought(the.server, alpha, { code: 'alpha1', name: 'Shop of alpha' })
    await bought(the.server, beta, { code: 'beta1', name: '店铺' })
  })
  const list = async (by: SignedIn, query = '') => {
    const answer = await by.send({ url: `/api/aws/service${query}` })
    return { status: answer.statusCode, change: String(answer.headers['x-change']), ...answer.json() }
  }
  const codes = ({ data }: { data: ServiceAnswer[] }) => data.map(({ code }) => code)

  it('shows customers their own services, and provider admins everybody’s, narrowed by company and text', async () => {
    expect(codes(await list(alpha))).toEqual(['alpha1'])
    const staff = await the.server.signIn('admin@m18')
    expect(codes(await list(staff))).toEqual(['alpha1', 'beta1'])
    expect(codes(await list(staff, `?companyId=${the.server.world.companies.beta}`))).toEqual(['beta1'])
    for (const sought of ['%E5%BA%97', 'BETA1', 'beta'])
      expect(codes(await list(staff, `?searchText=${sought}`))).toContain('beta1')
    expect(codes(await list(staff, '?searchText=nobody'))).toEqual([])
    expect(codes(await list(staff, '?sortField=company_name&sortOrder=desc'))).toEqual(['beta1', 'alpha1'])
  })

  it('tells a customer of another company nothing, whatever they name', async () => {
    const { status, data } = await list(alpha, `?companyId=${the.server.world.companies.beta}`)
    expect([status, data]).toEqual([404, null])
  })

  it('even a query without a condition over all services gives a customer none, and the provider all (N-10)', async () => {
    const { companies } = the.server.world
    const all = (companyId: number) =>
      inTransaction(the.server.app, { role: 'portal_app', companyId }, async (db) => {
        const { rows } = await sql<{ code: string }>`select code from all_service_rows() order by code`.execute(db)
        return rows.map(({ code }) => code)
      })
    expect(await all(companies.alpha)).toEqual([])
    expect(await all(0)).toEqual([])
    expect(await all(companies.m18)).toEqual(['alpha1', 'beta1'])
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
    const first = await list(alpha)
    const [{ contract_id }] = first.data
    const body = {
      type: 'change',
      contract_id,
      users: 20,
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      modules: ['core', 'fin'],
    }
    const changed = await alpha.send({ method: 'POST', url: '/api/contract', payload: body })
    expect(changed.statusCode).toBe(200)
    const second = await list(alpha, `?since=${first.change}`)
    expect(second.changed).toMatchObject([{ code: 'alpha1', os_contract: changed.json().id }])

    const admin = await the.server.signIn('admin@alpha')
    const company = the.server.world.companies.alpha
    const own = (await admin.send({ url: `/api/m18s/company/${company}` })).json()
    const renamed = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company/${company}`,
      payload: { ...own, name: 'Alpha renamed' },
    })
    expect(renamed.statusCode).toBe(200)
    const third = await list(alpha, `?since=${second.change}`)
    expect(third.changed).toMatchObject([{ company_name: 'Alpha renamed' }])
    expect((await list(alpha, `?since=${third.change}`)).changed).toEqual([])
  })

  it('has no row for what was ordered and never paid', async () => {
    const made = (await order(alpha, { code: 'unpaid1' })).json()
    expect(codes(await list(alpha))).toEqual(['alpha1'])
    await paid(the.server, made)
    expect(codes(await list(alpha))).toEqual(['alpha1', 'unpaid1'])
  })
})
