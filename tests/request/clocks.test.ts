/**
 * A device's clock is nobody's word: wrong from the start or set in the middle of a session, by a second or by ten
 * years, and in any time zone, it renews the session no oftener than it must and throws nobody out.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const secondMs = 1_000
const hourMs = 3_600 * secondMs
const dayMs = 24 * hourMs
const yearMs = 365.25 * dayMs
const spansMs = [secondMs, 30 * secondMs, 10 * 60 * secondMs, hourMs, dayMs, 7 * dayMs, 30 * dayMs, yearMs, 10 * yearMs]
const skewsMs = spansMs.flatMap((ms) => [-ms, ms])

const usersInput = { params: { companyId } }

/** The server's clock, and a device whose own is away from it. */
function openTablet(skewMs = 0) {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const device = createTablet((request) => server.transport(request), clock)
  device.ports.clock = () => clock.now() + skewMs
  return { clock, server, device }
}
type TabletSetup = ReturnType<typeof openTablet>

/** Five calls and a write, as on any screen; how often the session was renewed for them. */
async function countRenewals({ server, device }: TabletSetup): Promise<number> {
  const previousCount = server.renewals
  for (let round = 0; round < 5; round++) expect((await device.api.call(listUsers, usersInput)).kind).toBe('fresh')
  await device.settle()
  return server.renewals - previousCount
}

const isSignedIn = async ({ device }: TabletSetup) => {
  const session = await device.session()
  return session !== null && !session.signedOut
}

describe.each(skewsMs.map((ms) => [ms]))('a clock that is %i ms away', (skewMs) => {
  it('from the start: one renewal a lifetime at most, and the writes arrive', async () => {
    const setup = openTablet(skewMs)
    await setup.device.signIn('acme', 'user1@acme.example')
    expect(await countRenewals(setup)).toBe(0)
    await setup.clock.advance(11 * 60 * secondMs)
    expect(await countRenewals(setup)).toBeLessThanOrEqual(1)
    await setup.device.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
    expect(setup.server.rows.get(2)?.title).toBe(1)
    expect(await isSignedIn(setup)).toBe(true)
  })

  it('from the middle on: one renewal at most for the jump', async () => {
    const setup = openTablet()
    await setup.device.signIn('acme', 'user1@acme.example')
    await countRenewals(setup)
    setup.device.ports.clock = () => setup.clock.now() + skewMs
    expect(await countRenewals(setup)).toBeLessThanOrEqual(1)
    expect(await isSignedIn(setup)).toBe(true)
  })
})

describe('a time zone', () => {
  const ownTimeZone = process.env['TZ']
  afterEach(() => {
    if (ownTimeZone === undefined) delete process.env['TZ']
    else process.env['TZ'] = ownTimeZone
  })

  it.each(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Hong_Kong', 'Europe/Berlin'])(
    'changed to %s on the way changes nothing',
    async (zone) => {
      const setup = openTablet()
      await setup.device.signIn('acme', 'user1@acme.example')
      process.env['TZ'] = zone
      expect(await countRenewals(setup)).toBe(0)
      expect(await isSignedIn(setup)).toBe(true)
    },
  )
})
