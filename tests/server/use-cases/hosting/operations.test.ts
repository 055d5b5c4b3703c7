/** What people do to a hosted service, from the call to the processes that run, on a real host (M112 to M119, M122, Z-26). */
import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appsOfService } from '#server/db/catalogue/apps.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { hostingKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { lookAfterServices } from '#server/use-cases/hosting/look-after.ts'
import type { ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'

describe('a hosted service', () => {
  const the = setUpShop('postgres')
  let host: LocalUnderTest
  let alpha: SignedIn
  let contractId = 0
  // Ids begin anew with each test, and a host remembers what it had under them.
  afterEach(() => host.end())
  beforeEach(async () => {
    host = openLocalHosting()
    the.server.app.hosting = host.driver
    alpha = await the.server.signIn('order@alpha')
    contractId = (await bought(the.server, alpha, { code: 'alpha1' })).contract_id
  })

  const row = async (by = alpha): Promise<ServiceAnswer> =>
    (await by.send({ url: '/api/aws/service' })).json().data.find(({ code }: ServiceAnswer) => code === 'alpha1')
  const ask = async (method: 'POST' | 'DELETE', url: string, by = alpha) => {
    const answer = await by.send({ method, url })
    return { status: answer.statusCode, ...(answer.body === '' ? {} : answer.json()) }
  }
  const work = () => workOne(the.server.app, hostingKinds)
  /** To its end; what it came to. */
  const done = async (method: 'POST' | 'DELETE', url: string, by = alpha) => {
    const { status, location } = await ask(method, url, by)
    expect(status).toBe(202)
    await work()
    const answer = await by.send({ url: location })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
  const create = () => done('POST', `/api/aws/service?contractId=${contractId}`)
  /** By its name, which this machine may not resolve. */
  const open = (url: string | null) =>
    new Promise<number>((answered, failed) => {
      const at = new URL(url ?? '')
      const asked = request({ host: '127.0.0.1', port: at.port, path: at.pathname, headers: { host: at.host } })
      asked.on('response', (answer) => answered(answer.resume().statusCode ?? 0)).on('error', failed)
      asked.end()
    })

  it('is created, answers at its address, and tells its first password once, to who asked', async () => {
    const { status, body } = await create()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { code: 'alpha1', system_status: 2, online: 1, running_tasks: 1 },
    })
    const { url, id } = await row()
    expect(url).toMatch(/^http:\/\/www\.alpha1\.localhost:\d+\/$/)
    expect(await open(url)).toBeLessThan(400)

    const second = await the.server.signIn('second@alpha')
    expect(await ask('POST', `/api/aws/password/${id}`, second)).toMatchObject({ status: 404 })
    const told = await ask('POST', `/api/aws/password/${id}`)
    expect(told).toMatchObject({ status: 200, user: 'admin', password: expect.stringMatching(/^\w{20}$/) })
    expect(await ask('POST', `/api/aws/password/${id}`)).toMatchObject({ status: 404 })
    expect(await ask('POST', `/api/aws/service?contractId=${contractId}`)).toMatchObject({
      status: 409,
      data: { why: 'created' },
    })
  }, 60_000)

  it('is held by one operation at a time, which others are told of', async () => {
    await create()
    const { id } = await row()
    const { location } = await ask('POST', `/api/aws/reboot/${id}`)
    const staff = await the.server.signIn('admin@m18')
    const locked = await ask('POST', `/api/aws/resetpwd/${id}`, staff)
    expect(locked).toMatchObject({
      status: 423,
      data: { user: expect.stringContaining('order'), action: 'reboot-service' },
    })
    expect(await row()).toMatchObject({ system_status: 3, operation: { kind: 'reboot-service' } })
    await work()
    expect((await alpha.send({ url: location })).statusCode).toBe(204)
    expect(await row()).toMatchObject({ system_status: 2, operation: null })

    await ask('POST', `/api/aws/reboot/${id}`, staff)
    const own = await ask('POST', `/api/aws/resetpwd/${id}`)
    expect(own).toMatchObject({ status: 423, data: { user: null, action: 'reboot-service' } })
    await work()
  }, 60_000)

  it('takes another configuration with the next reboot, and says so until then', async () => {
    await create()
    const { id } = await row()
    const configured = await done(
      'POST',
      `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=2`,
    )
    expect(configured.body).toMatchObject({
      task_runtime_memory: 1000,
      task_desire_count: 2,
      needs_reboot: true,
      running_tasks: 1,
    })
    await done('POST', `/api/aws/reboot/${id}`)
    expect(await row()).toMatchObject({ needs_reboot: false, running_tasks: 2, running_memory: 1000, system_status: 2 })
    const configure = (tasks: number) =>
      done('POST', `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=${tasks}`)
    await configure(0)
    await done('POST', `/api/aws/reboot/${id}`)
    expect(await row()).toMatchObject({ system_status: 4, online: 0, running_tasks: 0, needs_reboot: false })
    // What is set for the next start does not start it, and it is not on its way to anything.
    await configure(2)
    await lookAfterServices(the.server.app)
    expect(await row()).toMatchObject({ system_status: 4, running_tasks: 0, needs_reboot: true })
    await done('POST', `/api/aws/reboot/${id}`)
    expect(await row()).toMatchObject({ system_status: 2, running_tasks: 2, needs_reboot: false })
    for (const wrong of ['task_runtime_memory=999&task_desire_count=1', 'task_runtime_memory=0&task_desire_count=5'])
      expect(await ask('POST', `/api/aws/changecfg?serviceId=${id}&${wrong}`)).toMatchObject({ status: 400 })
  }, 60_000)

  it('fault 15f, fault 15k refuses a configuration that the machine has no memory for, and says how much is free', async () => {
    await host.end()
    host = openLocalHosting({ memoryMb: 3000 })
    the.server.app.hosting = host.driver
    await create()
    const { id } = await row()
    const refused = await done(
      'POST',
      `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=8000&task_desire_count=4`,
    )
    expect(refused).toMatchObject({
      status: 409,
      body: {
        errorCode: 'NO_MEMORY',
        data: { tasks: '4', memory: '8000', beside: '100', needed: '32400', free: '3000' },
        // What was asked for, and what is added to it.
        errorMessage: expect.stringMatching(/Tasks: 4, with 8000 MB each and 100 MB more each .* 32400 MB in all/),
      },
    })
    expect(await row()).toMatchObject({ task_runtime_memory: 0, operation: null, needs_reboot: false })
  }, 60_000)

  it('runs the newest apps of its contract after an update, and those of before until then (contracts 4)', async () => {
    await create()
    const { id } = await row()
    const ref = { serviceId: id, code: 'alpha1' }
    const versions = async () =>
      Object.fromEntries(((await host.driver.look(ref))?.apps ?? []).map(({ code, version }) => [code, version]))
    const recorded = () =>
      inTransaction(the.server.app, { role: 'portal_system' }, async (db) =>
        Object.fromEntries(await appsOfService(db, { companyId: the.server.world.companies.alpha, code: 'alpha1' })),
      )
    const before = await versions()
    expect(before).toMatchObject({ framework: '1.10' })
    expect(await recorded()).toEqual(before)
    await addVersions(the.server, 'framework', 'Framework', '2.0')
    expect(await versions()).toEqual(before)
    expect((await done('POST', `/api/aws/service/update/${id}`)).body).toMatchObject({ system_status: 2, online: 1 })
    expect(await versions()).toEqual({ ...before, framework: '2.0' })
    expect(await recorded()).toEqual({ ...before, framework: '2.0' })
  }, 60_000)

  it('is removed and created again with its data, and deleted with it by the delete level alone', async () => {
    await create()
    const { id } = await row()
    expect((await done('DELETE', `/api/aws/service/remove/${id}`)).body).toMatchObject({
      system_status: 0,
      url: null,
      erase_date: '2026-04-01',
    })
    expect((await create()).status).toBe(200)
    expect(await row()).toMatchObject({ system_status: 2, erase_date: null })
    // Its users are those of before: no new password was made.
    await ask('POST', `/api/aws/password/${id}`)

    expect(await ask('DELETE', `/api/aws/service/${id}`)).toMatchObject({ status: 403 })
    expect(await ask('DELETE', `/api/aws/service/${id}`, await the.server.signIn('admin@m18'))).toMatchObject({
      status: 403,
    })
    const staff = await the.server.signIn('delete@m18')
    expect((await done('DELETE', `/api/aws/service/${id}`, staff)).status).toBe(204)
    expect(await row()).toMatchObject({ system_status: 0, erase_date: null })
    expect(await host.driver.lookAll()).toEqual([])
  }, 60_000)

  nightly(
    'has a log that is read, searched and downloaded once',
    async () => {
      await create()
      const { id } = await row()
      the.server.clock.now = Date.now() + 1000
      alpha = await the.server.signIn('order@alpha')
      const read = await ask('GET' as 'POST', `/api/aws/log/${id}`)
      expect(read.lines.length).toBeGreaterThan(0)
      const after = await ask('GET' as 'POST', `/api/aws/log/${id}?after=${read.next}`)
      expect(after.lines).toEqual([])
      expect((await ask('GET' as 'POST', `/api/aws/log/${id}?searchText=no%20such%20line`)).lines).toEqual([])

      const day = 86_400_000
      const stamp = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')
      const key = await alpha.send({
        method: 'POST',
        url: '/api/aws/log',
        payload: { id, from: stamp(Date.now() - day), to: stamp(Date.now() + day) },
      })
      const file = await the.server.send({ url: `/public/log/${key.json()}` })
      expect(file.headers['content-disposition']).toMatch(/filename="alpha1-log-[\d-]+\.txt"/)
      expect(file.body).toContain('task 1')
      expect((await the.server.send({ url: `/public/log/${key.json()}` })).statusCode).toBe(404)
      const none = { id, from: stamp(Date.now() - 9 * day), to: stamp(Date.now() - 8 * day) }
      expect((await alpha.send({ method: 'POST', url: '/api/aws/log', payload: none })).json()).toBe('')
      for (const wrong of [
        { id, from: stamp(Date.now() - 200 * day), to: stamp(Date.now()) },
        { id, from: stamp(Date.now()), to: stamp(Date.now() - day) },
        { id, from: '2026-13-45 99:99:99', to: stamp(Date.now()) },
      ])
        expect((await alpha.send({ method: 'POST', url: '/api/aws/log', payload: wrong })).statusCode).toBe(400)
    },
    60_000,
  )

  it('fault 2q has a log that is refused for times at the ends of the calendar, and no error of ours', async () => {
    await create()
    const { id } = await row()
    for (const at of ['0000-01-01 00:00:00', '0999-12-31 23:59:59', '9999-12-31 23:59:59'])
      for (const field of ['from', 'to'])
        expect([
          field,
          at,
          await ask('GET' as 'POST', `/api/aws/log/${id}?${field}=${encodeURIComponent(at)}`),
        ]).toEqual([field, at, expect.objectContaining({ status: 400, errorCode: 'VALIDATION_ERROR' })])
  }, 60_000)

  nightly(
    'is found stopped, gone or running by the health check, and nobody else’s is touched',
    async () => {
      await create()
      const { id } = await row()
      const beta = await the.server.signIn('order@beta')
      for (const url of [`/api/aws/reboot/${id}`, `/api/aws/resetpwd/${id}`, `/api/aws/password/${id}`])
        expect(await ask('POST', url, beta)).toMatchObject({ status: 404 })
      expect(await ask('DELETE', `/api/aws/service/${id}`, beta)).toMatchObject({ status: 404 })

      await host.driver.stop({ serviceId: id, code: 'alpha1' }, { fence: 1000 })
      const staff = await the.server.signIn('admin@m18')
      const looked = await ask('POST', '/api/aws/recheck', staff)
      expect(looked).toMatchObject({ status: 200, checked: 1, online: 0, changed: 1 })
      expect(await row()).toMatchObject({ system_status: 4, online: 0, running_tasks: 0 })
      await host.driver.erase({ serviceId: id, code: 'alpha1' }, { fence: 1001 })
      await lookAfterServices(the.server.app)
      expect(await row()).toMatchObject({ system_status: 5, fault: 'failed' })
    },
    60_000,
  )
})
