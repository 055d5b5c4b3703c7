/** Tests one write that can never succeed among a hundred that can (R-06, requirement 10). */
import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type SentRequest } from '#tests/support/device/device.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

const refusedName = 'never will do'

const isRefused = ({ body }: SentRequest) => body?.includes(refusedName) ?? false

const refusals = [
  [400, 'VALIDATION_ERROR', 'refused'],
  [412, 'VERSION_CONFLICT', 'conflict'],
  [422, 'IDEMPOTENCY_MISMATCH', 'refused'],
  [403, 'FORBIDDEN', 'refused'],
  [409, 'DUP_USER', 'refused'],
] as const

it.each(limitByDay<(typeof refusals)[number]>(refusals, 3))(
  'A write that gets %i %s is parked, and the other writes of each row arrive in order',
  async (status, code, state) => {
    const clock = createClock()
    const server = createScriptedServer(clock)
    const tablet = createTablet((request) => server.transport(request), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    const arrivedNames: string[] = []
    server.script = (request, respond) => {
      const key = request.headers[headers.key]
      if (!key) return null
      if (isRefused(request)) return buildRefusal(status, code, { [headers.key]: key, [headers.outcome]: 'refused; 9' })
      arrivedNames.push(JSON.parse(request.body ?? '{}').name)
      return respond()
    }
    tablet.connection.state = 'down'
    const changeName = (id: number, name: string) =>
      tablet.api.call(updateCompanyUser, { params: { id }, body: { name } }, { base: { rowVersion: 1, values: {} } })
    for (let index = 0; index < 100; index++) {
      if (index === 50)
        await tablet.api.call(createUser, {
          body: { title: 0, name: refusedName, email: 'bad@acme.example', admin: false, order: false, alert: false },
        })
      else await changeName((index % 2) + 2, `${(index % 2) + 2}: ${String(index).padStart(3, '0')}`)
    }
    tablet.connection.state = 'up'
    for (let round = 0; round < 20; round++) {
      await tablet.tick()
      await clock.advance(1_000)
    }
    await tablet.settle()
    const remainingEntries = await tablet.entries()
    expect(remainingEntries.map((entry) => [entry.state, entry.problem?.code])).toEqual([[state, code]])
    for (const row of ['2', '3']) {
      const ownNames = arrivedNames.filter((name) => name.startsWith(row))
      expect(ownNames).toHaveLength(row === '2' ? 49 : 50)
      expect(ownNames).toEqual(ownNames.toSorted())
    }
  },
)
