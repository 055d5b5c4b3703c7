/** Tests operations on a hosted service, from the call to the running processes, on a real host (M112 to M119, M122, Z-26). */
import { request } from 'node:http'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listAppsOfService } from '#server/db/catalogue/apps.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

describe('operations of a hosted service', () => {
  const fixture = setUpShop('postgres')
  let host: LocalUnderTest
  let alpha: SignedIn
  let contractId = 0
  // Each test uses the same ids again, so it needs a new host without the data of the last test.
  afterEach(() => host.end())
  beforeEach(async () => {
    host = openLocalHosting()
    fixture.server.app.hosting = host.driver
    alpha = await fixture.server.signIn('order@alpha')
    contractId = (await buyOrder(fixture.server, alpha, { code: 'alpha1' })).contract_id
  })

  const readRow = async (caller = alpha): Promise<ServiceResponse> =>
    (await caller.send({ url: '/api/aws/service' })).json().data.find(({ code }: ServiceResponse) => code === 'alpha1')
  const send = async (method: 'POST' | 'DELETE', url: string, caller = alpha) => {
    const response = await caller.send({ method, url })
    return { status: response.statusCode, ...(response.body === '' ? {} : response.json()) }
  }
  const runJob = () => runOneJob(fixture.server.app, hostingJobKinds)
  const runToEnd = async (method: 'POST' | 'DELETE', url: string, caller = alpha) => {
    const { status, location } = await send(method, url, caller)
    expect(status).toBe(202)
    await runJob()
    const response = await caller.send({ url: location })
    return { status: response.statusCode, body: response.body === '' ? null : response.json() }
  }
  const create = () => runToEnd('POST', `/api/aws/service?contractId=${contractId}`)
  /** Requests the URL and returns the status. The host name is sent as a header, because this machine may not resolve it. */
  const openUrl = (url: string | null) =>
    new Promise<number>((resolve, reject) => {
      const address = new URL(url ?? '')
      const clientRequest = request({
        host: '127.0.0.1',
        port: address.port,
        path: address.pathname,
        headers: { host: address.host },
      })
      clientRequest.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject)
      clientRequest.end()
    })

  it('are started by the staff under a consent with changes: service and trail name the member to the customer', async () => {
    await create()
    const { id } = await readRow()
    // The member has the rights of the admin who gives the consent.
    await bypassPolicies(fixture.server.app.database, (db) =>
      sql`update portal_user set orders = true where id = ${fixture.server.world.users['admin@alpha']}`.execute(db),
    )
    const admin = await fixture.server.signIn('admin@alpha')
    const staff = await fixture.server.signIn('admin@m18')
    const payload = { hours: 1, allows_changes: true }
    await admin.send({ method: 'POST', url: '/api/m18s/consent', payload })
    await send('POST', `/api/customer/${fixture.server.world.companies.alpha}/acting`, staff)
    expect((await send('POST', `/api/aws/service/update/${id}`, staff)).errorCode).toBe('ACTING_READ_ONLY')
    expect((await send('POST', `/api/aws/resetpwd/${id}`, staff)).errorCode).toBe('ACTING_READ_ONLY')
    const stop = `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=0`
    expect((await send('POST', stop, staff)).errorCode).toBe('ACTING_READ_ONLY')
    const { status, location } = await send('POST', `/api/aws/reboot/${id}`, staff)
    expect(status).toBe(202)
    expect((await readRow()).operation).toMatchObject({
      kind: 'reboot-service',
      user_name: expect.stringContaining('admin'),
    })
    const { rows: jobs } = await bypassPolicies(fixture.server.app.database, (db) =>
      sql<{ input: object }>`select input from job where kind = 'reboot-service'`.execute(db),
    )
    // The entry of a failed operation would name the member too.
    const mark = { StaffName: expect.stringContaining('admin'), ConsentId: expect.any(Number), ServiceCode: 'alpha1' }
    const { alpha: companyId, m18 } = fixture.server.world.companies
    const trail = { operation: 'reboot', info: mark, company: { id: companyId, actor: 'm18' } }
    expect(jobs).toMatchObject([{ input: { companyId, userCompanyId: m18, userId: staff.userId, trail } }])
    await runJob()
    expect((await staff.send({ url: location })).statusCode).toBe(204)
    const trailUrl = `/api/systrail?companyId=${fixture.server.world.companies.alpha}&type=service&results=5`
    const entries = (await admin.send({ url: trailUrl })).json().data as { operation: string; info: object }[]
    const reboots = entries.filter(({ operation }) => operation === 'reboot')
    expect(reboots.length).toBeGreaterThan(0)
    for (const entry of reboots)
      expect(entry).toMatchObject({
        by_provider: true,
        exec_user_id: null,
        info: mark,
      })
  })

  it('create the service, make it reachable and show its first password once, to the caller', async () => {
    const { status, body } = await create()
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { code: 'alpha1', system_status: 2, online: 1, running_tasks: 1 },
    })
    const { url, id } = await readRow()
    expect(url).toMatch(/^http:\/\/www\.alpha1\.localhost:\d+\/$/)
    expect(await openUrl(url)).toBeLessThan(400)

    const second = await fixture.server.signIn('second@alpha')
    expect(await send('POST', `/api/aws/password/${id}`, second)).toMatchObject({ status: 404 })
    const passwordResponse = await send('POST', `/api/aws/password/${id}`)
    expect(passwordResponse).toMatchObject({ status: 200, user: 'admin', password: expect.stringMatching(/^\w{20}$/) })
    expect(await send('POST', `/api/aws/password/${id}`)).toMatchObject({ status: 404 })
    expect(await send('POST', `/api/aws/service?contractId=${contractId}`)).toMatchObject({
      status: 409,
      data: { why: 'created' },
    })
  }, 60_000)

  it('run one at a time, and a refusal names the running operation', async () => {
    await create()
    const { id } = await readRow()
    const { location } = await send('POST', `/api/aws/reboot/${id}`)
    const staff = await fixture.server.signIn('admin@m18')
    const refusal = await send('POST', `/api/aws/resetpwd/${id}`, staff)
    expect(refusal).toMatchObject({
      status: 423,
      data: { user: expect.stringContaining('order'), action: 'reboot-service' },
    })
    expect(await readRow()).toMatchObject({ system_status: 3, operation: { kind: 'reboot-service' } })
    await runJob()
    expect((await alpha.send({ url: location })).statusCode).toBe(204)
    expect(await readRow()).toMatchObject({ system_status: 2, operation: null })

    await send('POST', `/api/aws/reboot/${id}`, staff)
    const ownRefusal = await send('POST', `/api/aws/resetpwd/${id}`)
    expect(ownRefusal).toMatchObject({ status: 423, data: { user: null, action: 'reboot-service' } })
    await runJob()
  }, 60_000)

  it('apply a new configuration at the next reboot, and show until then that a reboot is needed', async () => {
    await create()
    const { id } = await readRow()
    const response = await runToEnd(
      'POST',
      `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=2`,
    )
    expect(response.body).toMatchObject({
      task_runtime_memory: 1000,
      task_desire_count: 2,
      needs_reboot: true,
      running_tasks: 1,
    })
    await runToEnd('POST', `/api/aws/reboot/${id}`)
    expect(await readRow()).toMatchObject({
      needs_reboot: false,
      running_tasks: 2,
      running_memory: 1000,
      system_status: 2,
    })
    const configure = (tasks: number) =>
      runToEnd('POST', `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=${tasks}`)
    await configure(0)
    await runToEnd('POST', `/api/aws/reboot/${id}`)
    expect(await readRow()).toMatchObject({ system_status: 4, online: 0, running_tasks: 0, needs_reboot: false })
    // A configuration for the next start neither starts the service nor changes its state.
    await configure(2)
    await checkServices(fixture.server.app)
    expect(await readRow()).toMatchObject({ system_status: 4, running_tasks: 0, needs_reboot: true })
    await runToEnd('POST', `/api/aws/reboot/${id}`)
    expect(await readRow()).toMatchObject({ system_status: 2, running_tasks: 2, needs_reboot: false })
    for (const query of ['task_runtime_memory=999&task_desire_count=1', 'task_runtime_memory=0&task_desire_count=5'])
      expect(await send('POST', `/api/aws/changecfg?serviceId=${id}&${query}`)).toMatchObject({ status: 400 })
  }, 60_000)

  it('reject a configuration that needs more memory than is free, with the free amount (fault 15f, fault 15k)', async () => {
    await host.end()
    host = openLocalHosting({ memoryMb: 3000 })
    fixture.server.app.hosting = host.driver
    await create()
    const { id } = await readRow()
    const refusal = await runToEnd(
      'POST',
      `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=8000&task_desire_count=4`,
    )
    expect(refusal).toMatchObject({
      status: 409,
      body: {
        errorCode: 'NO_MEMORY',
        data: { tasks: '4', memory: '8000', beside: '100', needed: '32400', free: '3000' },
        // The message contains the requested memory of a task, and the memory that is added for each task.
        errorMessage: expect.stringMatching(/Instances: 4, each with 8000 MB, plus 100 MB each .* 32400 MB in all/),
      },
    })
    expect(await readRow()).toMatchObject({ task_runtime_memory: 0, operation: null, needs_reboot: false })
  }, 60_000)

  it('install the latest apps of the contract with an update, and not before (contracts 4)', async () => {
    await create()
    const { id } = await readRow()
    const instance = { serviceId: id, code: 'alpha1' }
    const readVersions = async () =>
      Object.fromEntries(((await host.driver.look(instance))?.apps ?? []).map(({ code, version }) => [code, version]))
    const readRecordedVersions = () =>
      runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) =>
        Object.fromEntries(
          await listAppsOfService(db, { companyId: fixture.server.world.companies.alpha, code: 'alpha1' }),
        ),
      )
    const versionsBefore = await readVersions()
    expect(versionsBefore).toMatchObject({ framework: '1.10' })
    expect(await readRecordedVersions()).toEqual(versionsBefore)
    await addVersions(fixture.server, 'framework', 'Framework', '2.0')
    expect(await readVersions()).toEqual(versionsBefore)
    expect((await runToEnd('POST', `/api/aws/service/update/${id}`)).body).toMatchObject({
      system_status: 2,
      online: 1,
    })
    expect(await readVersions()).toEqual({ ...versionsBefore, framework: '2.0' })
    expect(await readRecordedVersions()).toEqual({ ...versionsBefore, framework: '2.0' })
  }, 60_000)

  it('remove the service and create it again with its data, and delete it only for the delete level', async () => {
    await create()
    const { id } = await readRow()
    expect((await runToEnd('DELETE', `/api/aws/service/remove/${id}`)).body).toMatchObject({
      system_status: 0,
      url: null,
      erase_date: '2026-04-01',
    })
    expect((await create()).status).toBe(200)
    expect(await readRow()).toMatchObject({ system_status: 2, erase_date: null })
    // The users are the same as before, so no new password was created.
    await send('POST', `/api/aws/password/${id}`)

    expect(await send('DELETE', `/api/aws/service/${id}`)).toMatchObject({ status: 403 })
    expect(await send('DELETE', `/api/aws/service/${id}`, await fixture.server.signIn('admin@m18'))).toMatchObject({
      status: 403,
    })
    const staff = await fixture.server.signIn('delete@m18')
    expect((await runToEnd('DELETE', `/api/aws/service/${id}`, staff)).status).toBe(204)
    expect(await readRow()).toMatchObject({ system_status: 0, erase_date: null })
    expect(await host.driver.lookAll()).toEqual([])
  }, 60_000)

  nightly(
    'read, search and download the log, whose download address works once',
    async () => {
      await create()
      const { id } = await readRow()
      fixture.server.clock.now = Date.now() + 1000
      alpha = await fixture.server.signIn('order@alpha')
      const log = await send('GET' as 'POST', `/api/aws/log/${id}`)
      expect(log.lines.length).toBeGreaterThan(0)
      const laterLog = await send('GET' as 'POST', `/api/aws/log/${id}?after=${log.next}`)
      expect(laterLog.lines).toEqual([])
      expect((await send('GET' as 'POST', `/api/aws/log/${id}?searchText=no%20such%20line`)).lines).toEqual([])

      const day = 86_400_000
      const formatTime = (instant: number) =>
        new Date(instant + 8 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')
      const keyResponse = await alpha.send({
        method: 'POST',
        url: '/api/aws/log',
        payload: { id, from: formatTime(Date.now() - day), to: formatTime(Date.now() + day) },
      })
      const file = await fixture.server.send({ url: `/public/log/${keyResponse.json()}` })
      expect(file.headers['content-disposition']).toMatch(/filename="alpha1-log-[\d-]+\.txt"/)
      expect(file.body).toContain('task 1')
      expect((await fixture.server.send({ url: `/public/log/${keyResponse.json()}` })).statusCode).toBe(404)
      const emptyRange = { id, from: formatTime(Date.now() - 9 * day), to: formatTime(Date.now() - 8 * day) }
      expect((await alpha.send({ method: 'POST', url: '/api/aws/log', payload: emptyRange })).json()).toBe('')
      for (const invalidRange of [
        { id, from: formatTime(Date.now() - 200 * day), to: formatTime(Date.now()) },
        { id, from: formatTime(Date.now()), to: formatTime(Date.now() - day) },
        { id, from: '2026-13-45 99:99:99', to: formatTime(Date.now()) },
      ])
        expect((await alpha.send({ method: 'POST', url: '/api/aws/log', payload: invalidRange })).statusCode).toBe(400)
    },
    60_000,
  )

  it('reject log times at the limits of the calendar instead of failing (fault 2q)', async () => {
    await create()
    const { id } = await readRow()
    for (const time of ['0000-01-01 00:00:00', '0999-12-31 23:59:59', '9999-12-31 23:59:59'])
      for (const field of ['from', 'to'])
        expect([
          field,
          time,
          await send('GET' as 'POST', `/api/aws/log/${id}?${field}=${encodeURIComponent(time)}`),
        ]).toEqual([field, time, expect.objectContaining({ status: 400, errorCode: 'VALIDATION_ERROR' })])
  }, 60_000)

  nightly(
    'return 404 to other companies, and the health check reports a stopped or deleted service',
    async () => {
      await create()
      const { id } = await readRow()
      const beta = await fixture.server.signIn('order@beta')
      for (const url of [`/api/aws/reboot/${id}`, `/api/aws/resetpwd/${id}`, `/api/aws/password/${id}`])
        expect(await send('POST', url, beta)).toMatchObject({ status: 404 })
      expect(await send('DELETE', `/api/aws/service/${id}`, beta)).toMatchObject({ status: 404 })

      await host.driver.stop({ serviceId: id, code: 'alpha1' }, { fence: 1000 })
      const staff = await fixture.server.signIn('admin@m18')
      const response = await send('POST', '/api/aws/recheck', staff)
      expect(response).toMatchObject({ status: 200, checked: 1, online: 0, changed: 1 })
      expect(await readRow()).toMatchObject({ system_status: 4, online: 0, running_tasks: 0 })
      await host.driver.erase({ serviceId: id, code: 'alpha1' }, { fence: 1001 })
      await checkServices(fixture.server.app)
      expect(await readRow()).toMatchObject({ system_status: 5, fault: 'failed' })
    },
    60_000,
  )
})
