/**
 * Tests that the device does not rely on its clock. The clock may be wrong from the start or change during a session, by a second or
 * by ten years, in any time zone. The device still renews the session only as often as needed, and signs nobody out.
 */
import { afterEach, describe, expect, it, onTestFailed } from 'vitest'
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

/** Opens a device whose clock differs from the server's by `skewMs`. */
function openTablet(skewMs = 0) {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const device = createTablet((request) => server.transport(request), clock)
  device.ports.clock = () => clock.now() + skewMs
  return { clock, server, device }
}
type TabletSetup = ReturnType<typeof openTablet>

/** Makes five calls and a write, and returns the number of token renewals for them. */
async function countRenewals({ server, device }: TabletSetup): Promise<number> {
  const previousCount = server.renewals
  for (let round = 0; round < 5; round++) expect((await device.api.call(listUsers, usersInput)).kind).toBe('fresh')
  await device.settle()
  return server.renewals - previousCount
}

/** Returns what a device that does not end a call waits for. */
async function describeState({ device, clock }: TabletSetup): Promise<string> {
  const { held: heldLocks, pending: requestedLocks } = await navigator.locks.query()
  const requests = device.connection.log
    .slice(-5)
    .map(({ request, status }) => `${request.method} ${request.path} ${status}`)
  const locks = [heldLocks, requestedLocks].map((list) => list?.map(({ name }) => name).join(' '))
  return JSON.stringify({ requests, locks, work: device.countPendingWork(), waits: clock.countWaiting() })
}

const isSignedIn = async ({ device }: TabletSetup) => {
  const session = await device.session()
  return session !== null && !session.signedOut
}

describe.each(skewsMs.map((ms) => [ms]))('a device whose clock is %i ms off', (skewMs) => {
  it('renews its token at most once in a lifetime, and its writes arrive', async () => {
    const setup = openTablet(skewMs)
    onTestFailed(async () => console.log(await describeState(setup)))
    await setup.device.signIn('acme', 'user1@acme.example')
    expect(await countRenewals(setup)).toBe(0)
    await setup.clock.advance(11 * 60 * secondMs)
    expect(await countRenewals(setup)).toBeLessThanOrEqual(1)
    await setup.device.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
    expect(setup.server.rows.get(2)?.title).toBe(1)
    expect(await isSignedIn(setup)).toBe(true)
  })

  it('renews its token at most once if the clock jumps during the session', async () => {
    const setup = openTablet()
    await setup.device.signIn('acme', 'user1@acme.example')
    await countRenewals(setup)
    setup.device.ports.clock = () => setup.clock.now() + skewMs
    expect(await countRenewals(setup)).toBeLessThanOrEqual(1)
    expect(await isSignedIn(setup)).toBe(true)
  })
})

describe('a change of the time zone', () => {
  const ownTimeZone = process.env['TZ']
  afterEach(() => {
    if (ownTimeZone === undefined) delete process.env['TZ']
    else process.env['TZ'] = ownTimeZone
  })

  it.each(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Hong_Kong', 'Europe/Berlin'])(
    'renews no token and signs nobody out: %s',
    async (zone) => {
      const setup = openTablet()
      await setup.device.signIn('acme', 'user1@acme.example')
      process.env['TZ'] = zone
      expect(await countRenewals(setup)).toBe(0)
      expect(await isSignedIn(setup)).toBe(true)
    },
  )
})
