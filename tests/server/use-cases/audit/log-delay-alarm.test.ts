/**
 * Tests the alarm that is logged if entries wait too long for their log. Entries that waited while no server was running raise no alarm.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const countAlarms = () => server.readLog().split('"event":"audit_log_delayed"').length - 1

it('The log delay alarm is raised for entries that wait a minute while the server runs, not for older entries', async () => {
  const { app, clock, world } = server
  const head = { companyId: world.companies.alpha, userId: null, status: 0, intent: null, requestId: 'r' } as const
  await runInTransaction(app, { role: 'portal_system' }, (db) =>
    addAuditEntries(db, { ...head, now: clock.now - 86_400_000 }, [{ code: 'system', operation: 'config', info: {} }]),
  )
  const integrateWhileIdle = async () => {
    await integrate(app, () => true)
    // Log lines are written asynchronously after the call.
    await new Promise(setImmediate)
  }
  await integrateWhileIdle()
  clock.now += 59_000
  await integrateWhileIdle()
  expect(countAlarms()).toBe(0)
  clock.now += 2_000
  await integrateWhileIdle()
  expect(countAlarms()).toBe(1)
  expect(await integrate(app)).toBeGreaterThan(0)
  clock.now += 120_000
  await integrateWhileIdle()
  expect(countAlarms()).toBe(1)
})
