/** Tests that two hundred services, most of them stopped, are supervised and listed without a process for each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { type LocalUnderTest, openLocalHosting, findProcesses, findTasks } from '#tests/support/hosting/hosting.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

const serviceCount = 200
const runningCount = 2

describe('many hosted services', () => {
  const fixture = setUpShop('embedded')
  let host: LocalUnderTest
  beforeAll(() => {
    host = openLocalHosting()
  })
  afterAll(() => host.end())

  it('share one supervisor, and only running services have a process', async () => {
    const { app, world } = fixture.server
    app.hosting = host.driver
    for (let number = 1; number <= serviceCount; number++) {
      const code = `many${number}`
      const tasks = number <= runningCount ? 1 : 0
      const row = { company_id: world.companies.alpha, code, name: code, system_status: 4, task_desire_count: tasks }
      const serviceId = await runInTransaction(app, { role: 'portal_system' }, (db) =>
        insertService(db, { ...row, create_time: 1, update_time: 1 }),
      )
      await host.driver.prepare({ serviceId, code }, { name: code, config: { memoryMb: 0, tasks } }, { fence: 1 })
      await host.driver.start({ serviceId, code }, { fresh: false }, { fence: 1 })
    }
    await expect.poll(async () => (await checkServices(app)).online, { timeout: 20_000 }).toBe(runningCount)
    const startedAt = performance.now()
    expect(await checkServices(app)).toEqual({ checked: serviceCount, online: runningCount, changed: 0 })
    const durationMs = performance.now() - startedAt
    // This check runs every five seconds, in addition to the requests of users.
    expect(durationMs).toBeLessThan(500)
    expect(findTasks(host.folder)).toHaveLength(runningCount)
    expect(findProcesses(host.folder).length).toBeLessThanOrEqual(runningCount + 1)
    const staff = await fixture.server.signIn('admin@m18')
    const page = await staff.send({ url: '/api/aws/service?results=50&page=4&sortField=company_name' })
    expect(page.json()).toMatchObject({ count: serviceCount, data: expect.objectContaining({ length: 50 }) })
  }, 120_000)
})
