/** Tests a range that is fetched while other fetches of the same user run (decision 58). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startStoredTrail } from '#request/audit-trail/store-trail.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import { flushEventLoop } from '#tests/support/device/device.ts'
import {
  createStoredTrailActions,
  requestStoredTrail,
  resetWithTrail,
  signInIntercepted,
} from '#tests/support/audit-trail/stored-trail.ts'

const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
  await resetWithTrail(installation)
})
afterAll(() => installation.close())

it('A download of a range waits as the server requests while other downloads of the user run (fault 1j)', async () => {
  const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
  const { tablet } = interceptedTablet
  const storedTrailStart = await requestStoredTrail(tablet, month)
  await startStoredTrail(tablet.ports, { ...month, today: '2026-03-02' }, storedTrailStart)
  let refusalCount = 0
  let openRequestCount = 0
  interceptedTablet.intercept = async ({ path }, forward) => {
    openRequestCount += 1
    const response = await forward().finally(() => (openRequestCount -= 1))
    if (!path.includes('/export') || refusalCount === 2) return response
    refusalCount += 1
    const data = { exportsOf: 'user', most: 2, retry_after: 5 }
    return { ...response, status: 429, body: JSON.stringify({ errorCode: 'RATE_LIMITED', errorMessage: '', data }) }
  }
  const startedAt = installation.clock.now()
  let isFilled = false
  const fillResult = createStoredTrailActions(tablet)
    .fill(installation.server.world.companies.alpha)
    .finally(() => (isFilled = true))
  // The clock does not advance during a request, because the request would time out.
  while (!isFilled) await (openRequestCount === 0 ? installation.clock.advance(500) : flushEventLoop())
  expect([await fillResult, refusalCount]).toEqual([{ kind: 'done' }, 2])
  expect(installation.clock.now() - startedAt).toBeGreaterThanOrEqual(10_000)
})
