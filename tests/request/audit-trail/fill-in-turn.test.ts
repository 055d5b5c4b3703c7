/** A range is fetched while others of the same user fetch as well (decision 58). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { begin } from '#request/audit-trail/keep-trail.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import { breathe } from '#tests/support/device/device.ts'
import { keeper, openKeep, resetWithTrail, signedInBehind } from '#tests/support/audit-trail/kept-trail.ts'

const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

let house: Installation
beforeAll(async () => {
  house = await openInstallation()
  await resetWithTrail(house)
})
afterAll(() => house.close())

it('fault 1j waits for its turn where others of the user fetch, as long as the server says', async () => {
  const liar = await signedInBehind(house, 'admin@alpha')
  const { tablet } = liar
  const opened = await openKeep(tablet, month)
  await begin(tablet.ports, { ...month, today: '2026-03-02' }, opened)
  let refusals = 0
  let underWay = 0
  liar.between = async ({ path }, pass) => {
    underWay += 1
    const answer = await pass().finally(() => (underWay -= 1))
    if (!path.includes('/export') || refusals === 2) return answer
    refusals += 1
    const data = { exportsOf: 'user', most: 2, retry_after: 5 }
    return { ...answer, status: 429, body: JSON.stringify({ errorCode: 'RATE_LIMITED', errorMessage: '', data }) }
  }
  const began = house.clock.now()
  let isFilled = false
  const filled = keeper(tablet)
    .fill(house.server.world.companies.alpha)
    .finally(() => (isFilled = true))
  // Not while a request is under way, whose time would be up.
  while (!isFilled) await (underWay === 0 ? house.clock.turn(500) : breathe())
  expect([await filled, refusals]).toEqual([{ kind: 'done' }, 2])
  expect(house.clock.now() - began).toBeGreaterThanOrEqual(10_000)
})
