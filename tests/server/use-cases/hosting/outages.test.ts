/** Tests which observations of a service are reported to its users as an outage, and as the end of one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NotificationRow } from '#contract/notifications.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { lockService, updateService } from '#server/db/hosting/services.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { HostingError, type HostingFault, type InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { settleOperation } from '#server/use-cases/hosting/settle-operation.ts'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import { createInstanceState } from '#tests/support/hosting/instance-states.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

const healthy = createInstanceState()
const starting = createInstanceState({ healthy: false })
const failed = createInstanceState({ healthy: false, fault: 'keeps_ending' })

describe('an outage of a service', () => {
  const fixture = setUpShop('embedded')
  let serviceId = 0
  beforeEach(async () => {
    const { app, world } = fixture.server
    await buyOrder(fixture.server, await fixture.server.signIn('order@alpha'), { code: 'alpha1' })
    serviceId = await readServiceId(fixture.server, 'alpha1')
    await writeAsSystem(app, async (db) => {
      await updateService(db, serviceId, { system_status: 2, online: 1 }, app.clock())
      const userIds = [world.users['user@alpha'] ?? 0, world.users['admin@m18'] ?? 0]
      await db.updateTable('portal_user').set({ alert: true }).where('id', 'in', userIds).execute()
    })
    app.config.hosting = 'local'
  })
  afterEach(() => {
    fixture.server.app.config.hosting = 'local'
    fixture.server.app.hosting = noHosting
  })

  /** Runs a health check for each observation: a state of the instance, or the fault of a host that does not answer. */
  async function observe(...observations: (InstanceState | HostingFault)[]) {
    const { app } = fixture.server
    for (const observation of observations) {
      const lookAll = async () => {
        if (typeof observation === 'string') throw new HostingError(observation, 'no answer')
        return [{ ...observation, serviceId }]
      }
      app.hosting = { ...noHosting, lookAll }
      await checkServices(app)
    }
  }
  async function endOperation(
    kind: OperationInput['kind'],
    state: InstanceState | null,
    problem: ProblemError | null = null,
  ) {
    const { app, world } = fixture.server
    await writeAsSystem(app, async (db) => {
      const service = await lockService(db, serviceId)
      if (!service) throw new Error('the service is missing')
      const input: OperationInput = {
        kind,
        serviceId,
        companyId: service.company_id,
        code: 'alpha1',
        fence: service.fence,
        userId: world.users['order@alpha'] ?? 0,
        userCompanyId: service.company_id,
        toProvider: false,
        config: null,
        trail: { operation: kind, info: {} },
        requestId: 'test',
        intent: null,
      }
      await settleOperation(db, { app, input, point: state && { next: 0, state } }, problem)
    })
  }
  /** Returns the reports, earliest first. */
  async function listReports(user = 'user@alpha') {
    const response = await (await fixture.server.signIn(user)).send({ url: '/api/m18s/notification' })
    return response
      .json<{ data: NotificationRow[] }>()
      .data.map(({ kind }) => kind)
      .toReversed()
  }

  it('is reported once, also if its state is unknown in between', async () => {
    await observe(failed, 'throttled', failed, starting, failed)
    expect(await listReports()).toEqual(['service-down'])
    expect(await listReports('admin@m18')).toEqual(['service-down'])
  })

  it.each([
    ['starts', starting],
    ['is unknown for a moment', 'throttled' as const],
    ['is on a host that does not respond', 'unreachable' as const],
  ])('ends once, when the service is online again and not while it %s', async (_, between) => {
    await observe(failed, between)
    expect(await listReports()).toEqual(['service-down'])
    await observe(healthy, starting, healthy)
    expect(await listReports()).toEqual(['service-down', 'service-up'])
  })

  it('is not reported for each service while the host does not respond, but afterwards if it is real', async () => {
    await observe('unreachable', 'unreachable', healthy, 'unreachable')
    expect(await listReports()).toEqual([])
    expect(await listReports('admin@m18')).toEqual([])
    // The row already has the same fault.
    await observe({ ...starting, fault: 'unreachable' as InstanceState['fault'] })
    expect(await listReports()).toEqual(['service-down'])
  })

  it('ends with a restart by a user, and begins with one that fails', async () => {
    await observe(failed)
    await endOperation('reboot-service', healthy)
    expect(await listReports()).toEqual(['service-down', 'service-up'])
    await observe(healthy)
    await endOperation('stop-service', createInstanceState({ healthy: false, active: null, tasks: [] }))
    expect(await listReports()).toHaveLength(2)
    await endOperation('start-service', null, new ProblemError('STATE_CONFLICT', { why: 'failed' }))
    const reports = ['service-down', 'service-up', 'service-down']
    expect(await listReports()).toEqual(reports)
    await observe(failed)
    expect(await listReports()).toEqual(reports)
  })

  it('is none if the service is not set up or was removed', async () => {
    await endOperation('create-service', null, new ProblemError('STATE_CONFLICT', { why: 'failed' }))
    expect(await listReports()).toEqual([])
    await endOperation('create-service', healthy)
    await observe(failed)
    await endOperation('remove-service', null)
    await endOperation('create-service', healthy)
    expect(await listReports()).toEqual(['service-down'])
  })
})
