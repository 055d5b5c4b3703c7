import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted, refusal, toWrites } from '#tests/support/device/scripted.ts'

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  return { clock, server, tablet }
}
const retitle = (tablet: Tablet, title: 0 | 1 | 2 = 1, id = 2) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title } })
const writes = (tablet: Tablet) => tablet.line.log.filter(({ sent }) => sent.headers[headers.key])
const total = (effects: Map<string, number>) => [...effects.values()].reduce((sum, one) => sum + one, 0)
const done = { [headers.outcome]: 'refused; 9' }

describe('a write', () => {
  it('with the line up is answered like any other, and leaves nothing waiting', async () => {
    const { server, tablet } = await signedIn()
    expect(await retitle(tablet)).toMatchObject({ kind: 'fresh', output: { id: 2, title: 1, row_version: 2 } })
    expect(await tablet.waiting()).toBe(0)
    expect(total(server.effects)).toBe(1)
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 1, row_version: 2 }, waiting: null })
  })

  it('made offline reaches the server once the line is back', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    expect(await retitle(tablet)).toMatchObject({ kind: 'queued' })
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 1 }, waiting: { state: 'waiting' } })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(1)
    expect(await tablet.waiting()).toBe(0)
  })

  it('asks to be woken again as long as it can go by itself, and not for what waits for its user', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet)
    expect(await tablet.tick()).toBe(true)
    tablet.line.state = 'up'
    server.script = toWrites(409, 'DUP_USER', done)
    expect(await tablet.tick()).toBe(false)
  })

  it('survives the browser being closed (requirement 3)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet)
    tablet.reopen()
    tablet.line.state = 'up'
    await tablet.tick()
    expect(total(server.effects)).toBe(1)
  })

  it('is on the device before its first byte leaves', async () => {
    const { server, tablet } = await signedIn()
    let waiting = -1
    const answer = server.answer
    server.answer = async (sent) => {
      if (sent.headers[headers.key]) waiting = await tablet.waiting()
      return await answer(sent)
    }
    await retitle(tablet)
    expect(waiting).toBe(1)
  })

  it('whose answer was cut after the commit takes effect once, under one key', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'answers lost'
    expect(await retitle(tablet)).toMatchObject({ kind: 'queued' })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(writes(tablet).length).toBeGreaterThan(1)
    expect(total(server.effects)).toBe(1)
    expect(await tablet.waiting()).toBe(0)
  })

  it('asked about again after the worker died is answered from the device, and not sent again', async () => {
    const { tablet } = await signedIn()
    await retitle(tablet)
    const [sent] = writes(tablet)
    const again = new Request(`http://portal.test${sent?.sent.path}`, {
      method: 'PUT',
      body: sent?.sent.body ?? null,
      headers: { [headers.key]: sent?.sent.headers[headers.key] ?? '' },
    })
    const answer = await tablet.ports.pipeline(again, updateCompanyUser)
    expect(await answer.json()).toMatchObject({ id: 2, title: 1 })
    expect(writes(tablet)).toHaveLength(1)
  })

  it('does not wait longer than three seconds for a line that says nothing (protocol 21)', async () => {
    const { clock, tablet } = await signedIn()
    tablet.line.state = 'hanging'
    const asked = retitle(tablet)
    await clock.turn(0)
    await clock.turn(3_000)
    expect(await asked).toMatchObject({ kind: 'queued' })
  })

  it('is not taken for accepted by a login page, nor by an answer that does not repeat its key (requirement 6, protocol 3)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'captive'
    expect(await retitle(tablet)).toMatchObject({ kind: 'queued' })
    tablet.line.state = 'up'
    server.script = (sent) => (sent.headers[headers.key] ? refusal(200, 'FINE', done) : null)
    await tablet.tick()
    expect(await tablet.waiting()).toBe(1)
    expect(total(server.effects)).toBe(0)
  })

  it('is not taken for refused by an answer that does not say that it is final', async () => {
    const { server, tablet } = await signedIn()
    server.script = toWrites(409, 'DUP_USER')
    expect(await retitle(tablet)).toMatchObject({ kind: 'queued' })
    expect(await tablet.entries()).toMatchObject([{ state: 'waiting' }])
  })

  it('is sent once by two drains at once (protocol 12, R-07)', async () => {
    const { tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet)
    const before = writes(tablet).length
    tablet.line.state = 'up'
    await Promise.all([tablet.tick(), tablet.tick(), tablet.tick()])
    expect(writes(tablet).length - before).toBe(1)
  })

  it('waits its turn behind an earlier one of the same row (protocol 21)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet, 1)
    tablet.line.state = 'up'
    await retitle(tablet, 2)
    expect(
      writes(tablet)
        .slice(1)
        .map(({ sent }) => sent.body),
    ).toEqual(['{"title":1}', '{"title":2}'])
    expect(server.rows.get(2)?.title).toBe(2)
  })

  it('goes out by itself as soon as anything else gets through (requirement 16)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet)
    tablet.line.state = 'up'
    await tablet.api.call(listUsers, { params: { companyId: company } })
    await tablet.rest()
    expect(server.rows.get(2)?.title).toBe(1)
  })
})

describe('a refused write', () => {
  it('goes back to the form that waits for it, with its problem, and may be sent again as the same wish', async () => {
    const { server, tablet } = await signedIn()
    server.script = toWrites(409, 'DUP_USER', done)
    const refused = await retitle(tablet)
    expect(refused).toMatchObject({ kind: 'problem', problem: { code: 'DUP_USER', status: 409 } })
    expect(await tablet.waiting()).toBe(0)
    server.script = null
    const intent = refused.kind === 'problem' ? refused.intent : undefined
    const again = await tablet.api.call(
      updateCompanyUser,
      { params: { id: 2 }, body: { title: 2 } },
      { intent: intent ?? '' },
    )
    expect(again.kind).toBe('fresh')
    const [first, second] = writes(tablet).map(({ sent }) => sent.headers)
    expect(second?.[headers.key]).not.toBe(first?.[headers.key])
    expect(second?.[headers.intent]).toBe(intent)
  })

  it('stays with its problem when nobody waits for it any more (requirement 8, protocol 20)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await retitle(tablet)
    tablet.line.state = 'up'
    server.script = toWrites(409, 'DUP_USER', done)
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'refused', problem: { code: 'DUP_USER' } }])
    await tablet.tick()
    expect(writes(tablet)).toHaveLength(2)
  })

  it.each([
    [409, 'APP_CONFIRM', 'asks'],
    [412, 'VERSION_CONFLICT', 'conflict'],
  ])('that is a question (%i %s) waits for its user as "%s"', async (status, code, state) => {
    const { server, tablet } = await signedIn()
    server.script = toWrites(status, code, done)
    expect(await retitle(tablet)).toMatchObject({ kind: 'problem', problem: { code } })
    expect(await tablet.entries()).toMatchObject([{ state, problem: { code } }])
  })
})

describe('a question of the server', () => {
  it('answered with yes, goes again with the key of the question, under a new key of the same intent (protocol 16)', async () => {
    const { server, tablet } = await signedIn()
    server.script = (sent) =>
      sent.headers[headers.key]
        ? refusal(
            409,
            'APP_CONFIRM',
            { [headers.key]: sent.headers[headers.key] ?? '', ...done },
            { confirm_key: 'c-1' },
          )
        : null
    await retitle(tablet)
    const [{ intent } = { intent: '' }] = await tablet.entries()
    server.script = null
    expect(await createOutboxActions(tablet.ports).confirm(intent)).toBe(true)
    await tablet.rest()
    const sent = writes(tablet).at(-1)?.sent
    expect(JSON.parse(sent?.body ?? '')).toEqual({ title: 1, confirmKey: 'c-1' })
    expect(sent?.headers[headers.intent]).toBe(intent)
    expect(await tablet.waiting()).toBe(0)
  })
})

describe('a server that cannot just now', () => {
  it.each([
    [503, 'UNAVAILABLE'],
    [500, 'SERVER_ERROR'],
    [429, 'RATE_LIMITED'],
    [409, 'IDEMPOTENCY_IN_PROGRESS'],
    [424, 'NAME_UNKNOWN'],
    [423, 'RESOURCE_LOCKED'],
  ])('%i %s: the same bytes again later', async (status, code) => {
    const { clock, server, tablet } = await signedIn()
    server.script = toWrites(status, code, { 'retry-after': '2' })
    expect(await retitle(tablet)).toMatchObject({ kind: 'queued' })
    server.script = null
    await tablet.tick()
    expect(total(server.effects)).toBe(0)
    await clock.turn(70_000)
    await tablet.tick()
    expect(total(server.effects)).toBe(1)
    const [first, second] = writes(tablet)
    expect({ ...second?.sent, headers: null }).toEqual({ ...first?.sent, headers: null })
    expect(second?.sent.headers[headers.key]).toBe(first?.sent.headers[headers.key])
  })

  it('is waited for longer each time, up to a minute (requirement 17)', async () => {
    const { clock, server, tablet } = await signedIn()
    server.script = toWrites(503, 'UNAVAILABLE')
    await retitle(tablet)
    const waits: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const before = writes(tablet).length
      let waited = 0
      while (writes(tablet).length === before) {
        await clock.turn(500)
        waited += 500
        await tablet.tick()
      }
      waits.push(waited)
    }
    // Half of 2, 4, 8 ... 60 seconds, because chance says 0.5.
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })
})

describe('a row made offline', () => {
  it('can be changed before it has an id, and both reach the server in order, nothing rewritten', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    const made = await tablet.api.call(createUser, {
      body: { title: 0, name: 'Made here', email: 'made@acme.example', admin: false, order: false, alert: false },
    })
    const intent = made.kind === 'queued' ? made.intent : ''
    await tablet.api.call(updateCompanyUser, { params: { id: `~${intent}` }, body: { title: 2 } })
    expect(await tablet.row('users', `~${intent}`)).toMatchObject({ row: { name: 'Made here', title: 2 } })
    tablet.line.state = 'up'
    server.script = (sent, answer) => {
      // What the real server does: the name is an id by now.
      if (sent.path.includes('~')) sent.path = sent.path.replace(`~${intent}`, '4')
      return answer()
    }
    await tablet.tick()
    expect(server.rows.get(4)).toMatchObject({ name: 'Made here', title: 2 })
    expect(await tablet.waiting()).toBe(0)
    expect(await tablet.row('users', `~${intent}`)).toMatchObject({ row: { id: 4, title: 2 } })
    const change = writes(tablet).at(-1)?.sent.headers
    expect(change?.['if-match']).toBe(`"~${intent}"`)
  })
})
