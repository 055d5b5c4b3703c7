/** Tests the health check of services that every node of the portal can manage (HOSTING=docker). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noHosting } from '#server/context/no-hosting.ts'
import { listMonitoredServices, updateService } from '#server/db/hosting/services.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { HostingDriver, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

describe('the health check with docker', () => {
  const fixture = setUpShop('postgres')
  let serviceId = 0

  beforeEach(async () => {
    const { app } = fixture.server
    app.config.hosting = 'docker'
    // It reaches no service, like docker without a daemon.
    app.hosting = noHosting
    await buyOrder(fixture.server, await fixture.server.signIn('order@alpha'), { code: 'alpha1' })
    serviceId = (await readRow()).id
  })
  afterEach(() => {
    fixture.server.app.config.hosting = 'local'
  })

  async function readRow() {
    const row = (await readAsSystem(fixture.server.app, listMonitoredServices)).find(({ code }) => code === 'alpha1')
    if (!row) throw new Error('the service is missing')
    return row
  }

  it('stores that the platform does not respond only by the schedule, which one node runs', async () => {
    const { app } = fixture.server
    await writeAsSystem(app, (db) =>
      updateService(db, serviceId, { system_status: 2, online: 1, running_tasks: 1 }, app.clock()),
    )
    const staff = await fixture.server.signIn('admin@m18')
    expect((await staff.send({ method: 'POST', url: '/api/aws/recheck' })).statusCode).toBe(503)
    expect(await readRow()).toMatchObject({ online: 1, fault: null })

    expect(await checkServices(app, null, { isScheduled: true })).toEqual({ checked: 1, online: 0, changed: 1 })
    expect(await readRow()).toMatchObject({ online: 0, fault: 'unreachable', system_status: 2, running_tasks: 1 })
  })

  it('removes instances without a service only by the schedule', async () => {
    const { app } = fixture.server
    const state = { serviceId, code: 'alpha1', created: true, tasks: [] } as unknown as InstanceState
    const remove = vi.fn<HostingDriver['remove']>(async () => undefined)
    app.hosting = { ...noHosting, lookAll: async () => [state], remove }
    const staff = await fixture.server.signIn('admin@m18')
    expect((await staff.send({ method: 'POST', url: '/api/aws/recheck' })).statusCode).toBe(200)
    expect(remove).not.toHaveBeenCalled()
    await checkServices(app, null, { isScheduled: true })
    const { fence } = await readRow()
    expect(remove.mock.calls).toEqual([[{ serviceId, code: 'alpha1' }, { fence }]])
  })
})
