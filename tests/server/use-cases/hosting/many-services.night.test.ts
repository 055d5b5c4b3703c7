/** Two hundred services, most of which run nothing: looked after and listed without a process for each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { lookAfterServices } from '#server/use-cases/hosting/look-after.ts'
import { type LocalUnderTest, openLocalHosting, processesOf, tasksOf } from '#tests/support/hosting/hosting.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

const count = 200
const running = 2

describe('many services', () => {
  const the = setUpShop('embedded')
  let host: LocalUnderTest
  beforeAll(() => {
    host = openLocalHosting()
  })
  afterAll(() => host.end())

  it('are looked after by one supervisor, and only what runs costs a process', async () => {
    const { app, world } = the.server
    app.hosting = host.driver
    for (let number = 1; number <= count; number++) {
      const code = `many${number}`
      const tasks = number <= running ? 1 : 0
      const row = { company_id: world.companies.alpha, code, name: code, system_status: 4, task_desire_count: tasks }
      const serviceId = await inTransaction(app, { role: 'portal_system' }, (db) =>
        insertService(db, { ...row, create_time: 1, update_time: 1 }),
      )
      await host.driver.prepare({ serviceId, code }, { name: code, config: { memoryMb: 0, tasks } }, { fence: 1 })
      await host.driver.start({ serviceId, code }, { fresh: false }, { fence: 1 })
    }
    await expect.poll(async () => (await lookAfterServices(app)).online, { timeout: 20_000 }).toBe(running)
    const began = performance.now()
    expect(await lookAfterServices(app)).toEqual({ checked: count, online: running, changed: 0 })
    const took = performance.now() - began
    // Every five seconds, beside whatever people ask for.
    expect(took).toBeLessThan(500)
    expect(tasksOf(host.folder)).toHaveLength(running)
    expect(processesOf(host.folder).length).toBeLessThanOrEqual(running + 1)
    const staff = await the.server.signIn('admin@m18')
    const page = await staff.send({ url: '/api/aws/service?results=50&page=4&sortField=company_name' })
    expect(page.json()).toMatchObject({ count, data: expect.objectContaining({ length: 50 }) })
  }, 120_000)
})
