/** One write that will never do among a hundred that will (R-06, requirement 10). */
import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type Sent } from '#tests/support/device/device.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

const bad = 'never will do'

const isBad = ({ body }: Sent) => body?.includes(bad) ?? false

const verdicts = [
  [400, 'VALIDATION_ERROR', 'refused'],
  [412, 'VERSION_CONFLICT', 'conflict'],
  [422, 'IDEMPOTENCY_MISMATCH', 'refused'],
  [403, 'FORBIDDEN', 'refused'],
  [409, 'DUP_USER', 'refused'],
] as const

it.each(byDay<(typeof verdicts)[number]>(verdicts, 3))(
  '%i %s parks that one; the others arrive, each row’s in their order',
  async (status, code, state) => {
    const clock = createClock()
    const server = createScripted(clock)
    const tablet = createTablet((sent) => server.answer(sent), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    const arrived: string[] = []
    server.script = (sent, answer) => {
      const key = sent.headers[headers.key]
      if (!key) return null
      if (isBad(sent)) return refusal(status, code, { [headers.key]: key, [headers.outcome]: 'refused; 9' })
      arrived.push(JSON.parse(sent.body ?? '{}').name)
      return answer()
    }
    tablet.line.state = 'down'
    const change = (id: number, name: string) =>
      tablet.api.call(updateCompanyUser, { params: { id }, body: { name } }, { base: { rowVersion: 1, values: {} } })
    for (let at = 0; at < 100; at++) {
      if (at === 50)
        await tablet.api.call(createUser, {
          body: { title: 0, name: bad, email: 'bad@acme.example', admin: false, order: false, alert: false },
        })
      else await change((at % 2) + 2, `${(at % 2) + 2}: ${String(at).padStart(3, '0')}`)
    }
    tablet.line.state = 'up'
    for (let round = 0; round < 20; round++) {
      await tablet.tick()
      await clock.turn(1_000)
    }
    await tablet.rest()
    const left = await tablet.entries()
    expect(left.map((entry) => [entry.state, entry.problem?.code])).toEqual([[state, code]])
    for (const row of ['2', '3']) {
      const own = arrived.filter((name) => name.startsWith(row))
      expect(own).toHaveLength(row === '2' ? 49 : 50)
      expect(own).toEqual(own.toSorted())
    }
  },
)
