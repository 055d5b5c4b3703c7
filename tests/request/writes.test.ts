import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal, refuseWrites } from '#tests/support/device/scripted-server.ts'

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  return { clock, server, tablet }
}
const changeTitle = (tablet: Tablet, title: 0 | 1 | 2 = 1, id = 2) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title } })
const findWrites = (tablet: Tablet) => tablet.connection.log.filter(({ request }) => request.headers[headers.key])
const sumEffects = (effects: Map<string, number>) => [...effects.values()].reduce((sum, count) => sum + count, 0)
const finalOutcome = { [headers.outcome]: 'refused; 9' }

describe('a write', () => {
  it('returns its response with a connection, and leaves nothing waiting', async () => {
    const { server, tablet } = await openSignedInTablet()
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'fresh', output: { id: 2, title: 1, row_version: 2 } })
    expect(await tablet.countWaiting()).toBe(0)
    expect(sumEffects(server.effects)).toBe(1)
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 1, row_version: 2 }, waiting: null })
  })

  it('is queued offline, and reaches the server once connected', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'queued' })
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 1 }, waiting: { state: 'waiting' } })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(1)
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('requests another wake-up while it can be sent automatically, but not while it waits for its user', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet)
    expect(await tablet.tick()).toBe(true)
    tablet.connection.state = 'up'
    server.script = refuseWrites(409, 'DUP_USER', finalOutcome)
    expect(await tablet.tick()).toBe(false)
  })

  it('survives when the browser is closed (requirement 3)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet)
    tablet.reopen()
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(sumEffects(server.effects)).toBe(1)
  })

  it('is stored on the device before its first byte is sent', async () => {
    const { server, tablet } = await openSignedInTablet()
    let waitingCount = -1
    const originalTransport = server.transport
    server.transport = async (request) => {
      if (request.headers[headers.key]) waitingCount = await tablet.countWaiting()
      return await originalTransport(request)
    }
    await changeTitle(tablet)
    expect(waitingCount).toBe(1)
  })

  it('takes effect once, under one key, if its response is cut off after the commit', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'answers lost'
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'queued' })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(findWrites(tablet).length).toBeGreaterThan(1)
    expect(sumEffects(server.effects)).toBe(1)
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('returns its response from the device after the worker died, and is not sent again', async () => {
    const { tablet } = await openSignedInTablet()
    await changeTitle(tablet)
    const [write] = findWrites(tablet)
    const repeatedRequest = new Request(`http://portal.test${write?.request.path}`, {
      method: 'PUT',
      body: write?.request.body ?? null,
      headers: { [headers.key]: write?.request.headers[headers.key] ?? '' },
    })
    const response = await tablet.ports.pipeline(repeatedRequest, updateCompanyUser)
    expect(await response.json()).toMatchObject({ id: 2, title: 1 })
    expect(findWrites(tablet)).toHaveLength(1)
  })

  it('waits at most three seconds for a connection without a response (protocol 21)', async () => {
    const { clock, tablet } = await openSignedInTablet()
    tablet.connection.state = 'hanging'
    const pendingResult = changeTitle(tablet)
    await clock.advance(0)
    await clock.advance(3_000)
    expect(await pendingResult).toMatchObject({ kind: 'queued' })
  })

  it('is not accepted by a login page, nor by a response without its key (requirement 6, protocol 3)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'captive'
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'queued' })
    tablet.connection.state = 'up'
    server.script = (request) => (request.headers[headers.key] ? buildRefusal(200, 'FINE', finalOutcome) : null)
    await tablet.tick()
    expect(await tablet.countWaiting()).toBe(1)
    expect(sumEffects(server.effects)).toBe(0)
  })

  it('is not refused by a response that is not marked as final', async () => {
    const { server, tablet } = await openSignedInTablet()
    server.script = refuseWrites(409, 'DUP_USER')
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'queued' })
    expect(await tablet.entries()).toMatchObject([{ state: 'waiting' }])
  })

  it('is sent once by two senders at the same time (protocol 12, R-07)', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet)
    const previousWrites = findWrites(tablet).length
    tablet.connection.state = 'up'
    await Promise.all([tablet.tick(), tablet.tick(), tablet.tick()])
    expect(findWrites(tablet).length - previousWrites).toBe(1)
  })

  it('waits for an earlier write of the same row (protocol 21)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet, 1)
    tablet.connection.state = 'up'
    await changeTitle(tablet, 2)
    expect(
      findWrites(tablet)
        .slice(1)
        .map(({ request }) => request.body),
    ).toEqual(['{"title":1}', '{"title":2}'])
    expect(server.rows.get(2)?.title).toBe(2)
  })

  it('is sent as soon as another request succeeds (requirement 16)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet)
    tablet.connection.state = 'up'
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    expect(server.rows.get(2)?.title).toBe(1)
  })
})

describe('a refused write', () => {
  it('goes back to its waiting form with the problem, and can be sent again under the same intent', async () => {
    const { server, tablet } = await openSignedInTablet()
    server.script = refuseWrites(409, 'DUP_USER', finalOutcome)
    const refusedResult = await changeTitle(tablet)
    expect(refusedResult).toMatchObject({ kind: 'problem', problem: { code: 'DUP_USER', status: 409 } })
    expect(await tablet.countWaiting()).toBe(0)
    server.script = null
    const intent = refusedResult.kind === 'problem' ? refusedResult.intent : undefined
    const repeatedResult = await tablet.api.call(
      updateCompanyUser,
      { params: { id: 2 }, body: { title: 2 } },
      { intent: intent ?? '' },
    )
    expect(repeatedResult.kind).toBe('fresh')
    const [first, second] = findWrites(tablet).map(({ request }) => request.headers)
    expect(second?.[headers.key]).not.toBe(first?.[headers.key])
    expect(second?.[headers.intent]).toBe(intent)
  })

  it('stays in the outbox with its problem if no form waits for it (requirement 8, protocol 20)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await changeTitle(tablet)
    tablet.connection.state = 'up'
    server.script = refuseWrites(409, 'DUP_USER', finalOutcome)
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    await tablet.tick()
    expect(findWrites(tablet)).toHaveLength(2)
  })

  it.each([
    [409, 'APP_CONFIRM', 'asks'],
    [412, 'VERSION_CONFLICT', 'conflict'],
  ])('waits for its user after %i %s, in the state "%s"', async (status, code, state) => {
    const { server, tablet } = await openSignedInTablet()
    server.script = refuseWrites(status, code, finalOutcome)
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'problem', problem: { code } })
    expect(await tablet.entries()).toMatchObject([{ state, problem: { code } }])
  })
})

describe('a write that needs a confirmation', () => {
  it('is sent again with the confirm key, under a new key of the same intent, after the user confirms (protocol 16)', async () => {
    const { server, tablet } = await openSignedInTablet()
    server.script = (request) =>
      request.headers[headers.key]
        ? buildRefusal(
            409,
            'APP_CONFIRM',
            { [headers.key]: request.headers[headers.key] ?? '', ...finalOutcome },
            { confirm_key: 'c-1' },
          )
        : null
    await changeTitle(tablet)
    const [{ intent } = { intent: '' }] = await tablet.entries()
    server.script = null
    expect(await createOutboxActions(tablet.ports).confirm(intent)).toBe(true)
    await tablet.settle()
    const lastRequest = findWrites(tablet).at(-1)?.request
    expect(JSON.parse(lastRequest?.body ?? '')).toEqual({ title: 1, confirmKey: 'c-1' })
    expect(lastRequest?.headers[headers.intent]).toBe(intent)
    expect(await tablet.countWaiting()).toBe(0)
  })
})

describe('a server that is unavailable for now', () => {
  it.each([
    [503, 'UNAVAILABLE'],
    [500, 'SERVER_ERROR'],
    [429, 'RATE_LIMITED'],
    [409, 'IDEMPOTENCY_IN_PROGRESS'],
    [424, 'NAME_UNKNOWN'],
    [423, 'RESOURCE_LOCKED'],
  ])('gets the same bytes again later after %i %s', async (status, code) => {
    const { clock, server, tablet } = await openSignedInTablet()
    server.script = refuseWrites(status, code, { 'retry-after': '2' })
    expect(await changeTitle(tablet)).toMatchObject({ kind: 'queued' })
    server.script = null
    await tablet.tick()
    expect(sumEffects(server.effects)).toBe(0)
    await clock.advance(70_000)
    await tablet.tick()
    expect(sumEffects(server.effects)).toBe(1)
    const [first, second] = findWrites(tablet)
    expect({ ...second?.request, headers: null }).toEqual({ ...first?.request, headers: null })
    expect(second?.request.headers[headers.key]).toBe(first?.request.headers[headers.key])
  })

  it('is retried at growing intervals of up to a minute (requirement 17)', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    server.script = refuseWrites(503, 'UNAVAILABLE')
    await changeTitle(tablet)
    const waitsMs: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const previousWrites = findWrites(tablet).length
      let waitedMs = 0
      while (findWrites(tablet).length === previousWrites) {
        await clock.advance(500)
        waitedMs += 500
        await tablet.tick()
      }
      waitsMs.push(waitedMs)
    }
    // The waits are half of 2, 4, 8 ... 60 seconds, because the random number is 0.5.
    expect(waitsMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })
})

describe('a row created offline', () => {
  it('can be changed before it has an id, and both writes reach the server in order, unchanged', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    const createdUser = await tablet.api.call(createUser, {
      body: { title: 0, name: 'Made here', email: 'made@acme.example', admin: false, order: false, alert: false },
    })
    const intent = createdUser.kind === 'queued' ? createdUser.intent : ''
    await tablet.api.call(updateCompanyUser, { params: { id: `~${intent}` }, body: { title: 2 } })
    expect(await tablet.row('users', `~${intent}`)).toMatchObject({ row: { name: 'Made here', title: 2 } })
    tablet.connection.state = 'up'
    server.script = (request, respond) => {
      // Replaces the name in the path by the id that the row has by now, as the real server does.
      if (request.path.includes('~')) request.path = request.path.replace(`~${intent}`, '4')
      return respond()
    }
    await tablet.tick()
    expect(server.rows.get(4)).toMatchObject({ name: 'Made here', title: 2 })
    expect(await tablet.countWaiting()).toBe(0)
    expect(await tablet.row('users', `~${intent}`)).toMatchObject({ row: { id: 4, title: 2 } })
    const changeHeaders = findWrites(tablet).at(-1)?.request.headers
    expect(changeHeaders?.['if-match']).toBe(`"~${intent}"`)
  })
})
