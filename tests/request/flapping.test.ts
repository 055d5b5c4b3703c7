/** Tests a connection that changes five times a second, for five minutes. */
import { expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type ConnectionState } from '#tests/support/device/device.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const minutes = 5
const flipIntervalMs = 200

const flapPatterns = [
  ['down, without responses, and up in turn', ['down', 'answers lost', 'up']],
  ['down and up in turn', ['down', 'up']],
] as const

it.each(limitByDay<(typeof flapPatterns)[number]>(flapPatterns, 1))(
  'On a connection that is %s, each write takes effect once, in order, and none is left',
  async (_, states) => {
    const clock = createClock()
    const server = createScriptedServer(clock)
    const tablet = createTablet((request) => server.transport(request), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    const names: string[] = []
    const flipCount = (minutes * 60_000) / flipIntervalMs
    for (let flip = 0; flip < flipCount; flip++) {
      tablet.connection.state = states[flip % states.length] as ConnectionState
      if (flip % 50 === 0) {
        const name = `Name ${String(flip).padStart(4, '0')}`
        names.push(name)
        void tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { name } })
      }
      await clock.advance(flipIntervalMs)
      if (flip % 5 === 0) await tablet.tick()
    }
    tablet.connection.state = 'up'
    for (let round = 0; round < 5; round++) {
      await clock.advance(60_000)
      await tablet.tick()
    }
    await tablet.settle()
    expect(await tablet.countWaiting()).toBe(0)
    expect(server.rows.get(2)?.name).toBe(names.at(-1))
    expect([...server.effects.values()]).toEqual(names.map(() => 1))
  },
)
