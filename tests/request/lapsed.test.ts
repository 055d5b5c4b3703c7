/** A session that runs out while nobody can be asked (decision 83). */
import { describe, expect, it } from 'vitest'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { hasLapsed } from '#local/session/session.ts'
import { setShared } from '#local/session/shared-device.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const users = { params: { companyId: company } }
const rename = { params: { id: 2 }, body: { name: 'Confidential' } }
const half = 6 * 3_600_000
const day = 24 * 3_600_000

async function signedIn({ seals = true } = {}) {
  const clock = createClock()
  const server = createScripted(clock, { seals })
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, users)
  await tablet.rest()
  const lapsed = async () => {
    const session = await tablet.session()
    return session !== null && hasLapsed(session, clock.now())
  }
  /** The line goes down, and with it the time of the session; its access token is gone from the cookies. */
  async function runOut() {
    tablet.line.state = 'down'
    await clock.turn(2 * half + 1)
    expect(await lapsed()).toBe(true)
    tablet.cookies.delete('portal-access')
  }
  async function dump() {
    const db = tablet.device.of({ companyId: company, userId: 1 })
    return recordsToText(await Promise.all(db.tables.map((table) => table.toArray())))
  }
  return { clock, server, tablet, lapsed, runOut, dump }
}

const sealed = { kind: 'queued', held: { problem: { code: 'SESSION_LAPSED' } } }

describe('a session that runs out without a connection', () => {
  it('fault 44a takes writes, which nothing on the device can read, and sends them after the next login', async () => {
    const { server, tablet, runOut, dump } = await signedIn()
    const keys = server.sealKeys.left(1).length
    expect(await dump()).toContain('session_seal_key')
    await runOut()
    expect(await tablet.api.call(updateCompanyUser, rename)).toMatchObject(sealed)
    await tablet.rest()
    expect(await dump()).not.toContain('Confidential')
    expect(await dump()).not.toMatch(/"session_seal_key\\?":\{/)
    expect((await tablet.api.call(listUsers, users)).kind).toBe('kept')
    expect(tablet.tally).toBe('7-1.1.1')
    tablet.reopen()
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.rest()
    expect([server.rows.get(2)?.name, server.effects.size]).toEqual(['Confidential', 1])
    expect([await tablet.waiting(), tablet.tally]).toEqual([0, ''])
    // The new session's key alone is left, on both sides.
    expect(server.sealKeys.left(1).length).toBe(keys)
    expect(await dump()).not.toContain('seal-pair')
  })

  it('fault 44b sends what was changed twice and what was made, in their order and each once', async () => {
    const { server, tablet, runOut } = await signedIn()
    tablet.line.state = 'down'
    await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: 'Before' } })
    await runOut()
    const base = { rowVersion: 1, values: { name: 'User 2' } }
    for (const name of ['First', 'Second'])
      expect(await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { name } }, { base })).toMatchObject(
        sealed,
      )
    const intent = crypto.randomUUID()
    const made = { body: { title: 0 as const, name: 'New', email: 'new@acme.example' } }
    for (let times = 0; times < 2; times++) await tablet.api.call(createUser, made, { intent })
    // What was tried meanwhile has found no line, and sends nothing later.
    await tablet.rest()
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.rest()
    expect([server.rows.get(3)?.name, server.rows.get(2)?.name]).toEqual(['Before', 'Second'])
    expect([...server.rows.values()].filter(({ name }) => name === 'New')).toHaveLength(1)
    const sent = tablet.line.log.filter(({ sent: { path, method } }) => method === 'PUT' && path.endsWith('/2'))
    expect(sent.map(({ sent: { headers } }) => headers['if-match'])).toEqual(['"1"', expect.stringMatching(/^"~/)])
    expect(await tablet.entries()).toEqual([])
  })

  it('fault 44c takes none on a device that is shared, nor where the server gave no key', async () => {
    const shared = await signedIn()
    await setShared(shared.tablet.device, true)
    const keyless = await signedIn({ seals: false })
    for (const { tablet, runOut } of [shared, keyless]) {
      await runOut()
      expect(await tablet.api.call(updateCompanyUser, rename)).toMatchObject({ problem: { code: 'SESSION_LAPSED' } })
      expect((await tablet.api.call(listUsers, users)).kind).toBe('kept')
    }
  })

  it('fault 44d was not over at all where the clock jumped: what was sealed is sent as soon as there is a connection', async () => {
    const { server, tablet, runOut, lapsed } = await signedIn()
    await runOut()
    await tablet.api.call(updateCompanyUser, rename)
    await tablet.rest()
    tablet.line.state = 'up'
    await tablet.tick()
    await tablet.rest()
    expect([server.rows.get(2)?.name, await tablet.waiting(), await lapsed()]).toEqual(['Confidential', 0, false])
  })

  it('fault 44e can be read for 14 days, and waits for its user after that', async () => {
    const { clock, server, tablet, runOut, dump } = await signedIn()
    await runOut()
    await tablet.api.call(updateCompanyUser, rename)
    await tablet.rest()
    await clock.turn(14 * day - 1_000)
    await tablet.tick()
    expect((await tablet.api.call(listUsers, users)).kind).toBe('kept')
    await clock.turn(2_000)
    await tablet.tick()
    await tablet.rest()
    expect(await tablet.session()).toBeNull()
    expect(await dump()).not.toContain('acme.example')
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.rest()
    expect([server.rows.get(2)?.name, server.effects.size]).toEqual(['Confidential', 1])
  })

  it('lasts as long as it is renewed, and begins anew with a sign-in', async () => {
    const { clock, tablet, lapsed } = await signedIn()
    await clock.turn(half)
    tablet.cookies.delete('portal-access')
    await tablet.api.call(listUsers, users)
    await clock.turn(half + 1_000)
    expect(await lapsed()).toBe(false)
    await clock.turn(half)
    expect(await lapsed()).toBe(true)
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await lapsed()).toBe(false)
  })

  it('fault 46c: what waits is said to wait for a login, and not for the connection', async () => {
    const { clock, tablet } = await signedIn()
    tablet.line.state = 'down'
    const result = await tablet.api.call(updateCompanyUser, rename)
    const intent = 'intent' in result ? (result.intent ?? '') : ''
    await tablet.rest()
    const { whyWaits } = createOutboxActions(tablet.ports)
    expect(await whyWaits(intent)).toMatchObject({ why: 'line' })
    await clock.turn(2 * half + 1)
    expect(await whyWaits(intent)).toEqual({ why: 'sign in' })
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(await whyWaits(intent)).toBeNull()
  })
})
