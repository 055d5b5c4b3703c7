/** A line that comes and goes five times a second, for five minutes. */
import { expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type LineState } from '#tests/support/device/device.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const minutes = 5
const flipMs = 200

const flickers = [
  ['answers lost in between', ['down', 'answers lost', 'up']],
  ['cut and back', ['down', 'up']],
] as const

it.each(byDay<(typeof flickers)[number]>(flickers, 1))(
  '%s: each write takes effect once, in its order, and none is left',
  async (_, states) => {
    const clock = createClock()
    const server = createScripted(clock)
    const tablet = createTablet((sent) => server.answer(sent), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    const names: string[] = []
    const flips = (minutes * 60_000) / flipMs
    for (let flip = 0; flip < flips; flip++) {
      tablet.line.state = states[flip % states.length] as LineState
      if (flip % 50 === 0) {
        const name = `Name ${String(flip).padStart(4, '0')}`
        names.push(name)
        void tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { name } })
      }
      await clock.turn(flipMs)
      if (flip % 5 === 0) await tablet.tick()
    }
    tablet.line.state = 'up'
    for (let round = 0; round < 5; round++) {
      await clock.turn(60_000)
      await tablet.tick()
    }
    await tablet.rest()
    expect(await tablet.waiting()).toBe(0)
    expect(server.rows.get(2)?.name).toBe(names.at(-1))
    expect([...server.effects.values()]).toEqual(names.map(() => 1))
  },
)
