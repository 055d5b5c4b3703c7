/**
 * A device's clock is nobody's word: wrong from the start or set in the middle of a session, by a second or by ten
 * years, and in any time zone, it renews the session no oftener than it must and throws nobody out.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
const year = 365.25 * day
const spans = [second, 30 * second, 10 * 60 * second, hour, day, 7 * day, 30 * day, year, 10 * year]
const skews = spans.flatMap((ms) => [-ms, ms])

const users = { params: { companyId: company } }

/** The server's clock, and a device whose own is away from it. */
function tablet(skew = 0) {
  const clock = createClock()
  const server = createScripted(clock)
  const device = createTablet((sent) => server.answer(sent), clock)
  device.ports.clock = () => clock.now() + skew
  return { clock, server, device }
}
type Stage = ReturnType<typeof tablet>

/** Five calls and a write, as on any screen; how often the session was renewed for them. */
async function work({ server, device }: Stage): Promise<number> {
  const before = server.renewals
  for (let times = 0; times < 5; times++) expect((await device.api.call(listUsers, users)).kind).toBe('fresh')
  await device.rest()
  return server.renewals - before
}

const isHere = async ({ device }: Stage) => {
  const session = await device.session()
  return session !== null && !session.signedOut
}

describe.each(skews.map((ms) => [ms]))('a clock that is %i ms away', (skew) => {
  it('from the start: one renewal a lifetime at most, and the writes arrive', async () => {
    const stage = tablet(skew)
    await stage.device.signIn('acme', 'user1@acme.example')
    expect(await work(stage)).toBe(0)
    await stage.clock.turn(11 * 60 * second)
    expect(await work(stage)).toBeLessThanOrEqual(1)
    await stage.device.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
    expect(stage.server.rows.get(2)?.title).toBe(1)
    expect(await isHere(stage)).toBe(true)
  })

  it('from the middle on: one renewal at most for the jump', async () => {
    const stage = tablet()
    await stage.device.signIn('acme', 'user1@acme.example')
    await work(stage)
    stage.device.ports.clock = () => stage.clock.now() + skew
    expect(await work(stage)).toBeLessThanOrEqual(1)
    expect(await isHere(stage)).toBe(true)
  })
})

describe('a time zone', () => {
  const own = process.env['TZ']
  afterEach(() => {
    if (own === undefined) delete process.env['TZ']
    else process.env['TZ'] = own
  })

  it.each(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Hong_Kong', 'Europe/Berlin'])(
    'changed to %s on the way changes nothing',
    async (zone) => {
      const stage = tablet()
      await stage.device.signIn('acme', 'user1@acme.example')
      process.env['TZ'] = zone
      expect(await work(stage)).toBe(0)
      expect(await isHere(stage)).toBe(true)
    },
  )
})
