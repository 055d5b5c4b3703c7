/** Tests a session that expires while the server cannot be reached (decision 83). */
import { describe, expect, it } from 'vitest'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { hasSessionExpired } from '#local/session/session.ts'
import { setShared } from '#local/session/shared-device.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const usersInput = { params: { companyId } }
const renameInput = { params: { id: 2 }, body: { name: 'Confidential' } }
const halfSessionMs = 6 * 3_600_000
const dayMs = 24 * 3_600_000

async function openSignedInTablet({ seals: hasSeals = true } = {}) {
  const clock = createClock()
  const server = createScriptedServer(clock, { seals: hasSeals })
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, usersInput)
  await tablet.settle()
  const isExpired = async () => {
    const session = await tablet.session()
    return session !== null && hasSessionExpired(session, clock.now())
  }
  /** Ends the connection and advances the clock beyond the end of the session. After that the access token is no longer in the cookies. */
  async function expireSession() {
    tablet.connection.state = 'down'
    await clock.advance(2 * halfSessionMs + 1)
    expect(await isExpired()).toBe(true)
    tablet.cookies.delete('portal-access')
  }
  async function dumpDatabase() {
    const db = tablet.device.getDatabase({ companyId, userId: 1 })
    return recordsToText(await Promise.all(db.tables.map((table) => table.toArray())))
  }
  return { clock, server, tablet, isExpired, expireSession, dumpDatabase }
}

const sealedResult = { kind: 'queued', holdReason: { problem: { code: 'SESSION_LAPSED' } } }

describe('a session that expires without a connection', () => {
  it('accepts writes that nothing on the device can read, and sends them after the next login (fault 44a)', async () => {
    const { server, tablet, expireSession, dumpDatabase } = await openSignedInTablet()
    const keyCount = server.sealKeys.listRemaining(1).length
    expect(await dumpDatabase()).toContain('session_seal_key')
    await expireSession()
    expect(await tablet.api.call(updateCompanyUser, renameInput)).toMatchObject(sealedResult)
    await tablet.settle()
    expect(await dumpDatabase()).not.toContain('Confidential')
    expect(await dumpDatabase()).not.toMatch(/"session_seal_key\\?":\{/)
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('cached')
    expect(tablet.tally).toBe('7-1.1.1')
    tablet.reopen()
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.settle()
    expect([server.rows.get(2)?.name, server.effects.size]).toEqual(['Confidential', 1])
    expect([await tablet.countWaiting(), tablet.tally]).toEqual([0, ''])
    // Only the key of the new session is left, on both sides.
    expect(server.sealKeys.listRemaining(1).length).toBe(keyCount)
    expect(await dumpDatabase()).not.toContain('seal-pair')
  })

  it('sends repeated changes and created rows in their order, each once (fault 44b)', async () => {
    const { server, tablet, expireSession } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: 'Before' } })
    await expireSession()
    const base = { rowVersion: 1, values: { name: 'User 2' } }
    for (const name of ['First', 'Second'])
      expect(await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { name } }, { base })).toMatchObject(
        sealedResult,
      )
    const intent = crypto.randomUUID()
    const createInput = { body: { title: 0 as const, name: 'New', email: 'new@acme.example' } }
    for (let round = 0; round < 2; round++) await tablet.api.call(createUser, createInput, { intent })
    // The attempts in between had no connection, and are not sent later.
    await tablet.settle()
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.settle()
    expect([server.rows.get(3)?.name, server.rows.get(2)?.name]).toEqual(['Before', 'Second'])
    expect([...server.rows.values()].filter(({ name }) => name === 'New')).toHaveLength(1)
    const sentChanges = tablet.connection.log.filter(
      ({ request: { path, method } }) => method === 'PUT' && path.endsWith('/2'),
    )
    expect(sentChanges.map(({ request: { headers } }) => headers['if-match'])).toEqual([
      '"1"',
      expect.stringMatching(/^"~/),
    ])
    expect(await tablet.entries()).toEqual([])
  })

  it('accepts no writes on a shared device, or without a key from the server (fault 44c)', async () => {
    const sharedSetup = await openSignedInTablet()
    await setShared(sharedSetup.tablet.device, true)
    const keylessSetup = await openSignedInTablet({ seals: false })
    for (const { tablet, expireSession } of [sharedSetup, keylessSetup]) {
      await expireSession()
      expect(await tablet.api.call(updateCompanyUser, renameInput)).toMatchObject({
        problem: { code: 'SESSION_LAPSED' },
      })
      expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('cached')
    }
  })

  it('is valid again once connected if only the clock jumped, and its sealed writes are sent (fault 44d)', async () => {
    const { server, tablet, expireSession, isExpired } = await openSignedInTablet()
    await expireSession()
    await tablet.api.call(updateCompanyUser, renameInput)
    await tablet.settle()
    tablet.connection.state = 'up'
    await tablet.tick()
    await tablet.settle()
    expect([server.rows.get(2)?.name, await tablet.countWaiting(), await isExpired()]).toEqual([
      'Confidential',
      0,
      false,
    ])
  })

  it('leaves its rows readable for 14 days, and keeps its writes for its user after that (fault 44e)', async () => {
    const { clock, server, tablet, expireSession, dumpDatabase } = await openSignedInTablet()
    await expireSession()
    await tablet.api.call(updateCompanyUser, renameInput)
    await tablet.settle()
    await clock.advance(14 * dayMs - 1_000)
    await tablet.tick()
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('cached')
    await clock.advance(2_000)
    await tablet.tick()
    await tablet.settle()
    expect(await tablet.session()).toBeNull()
    expect(await dumpDatabase()).not.toContain('acme.example')
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.settle()
    expect([server.rows.get(2)?.name, server.effects.size]).toEqual(['Confidential', 1])
  })

  it('lasts as long as it is renewed, and starts again with a sign-in', async () => {
    const { clock, tablet, isExpired } = await openSignedInTablet()
    await clock.advance(halfSessionMs)
    tablet.cookies.delete('portal-access')
    await tablet.api.call(listUsers, usersInput)
    await clock.advance(halfSessionMs + 1_000)
    expect(await isExpired()).toBe(false)
    await clock.advance(halfSessionMs)
    expect(await isExpired()).toBe(true)
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await isExpired()).toBe(false)
  })

  it('is given as the reason why writes wait, not the connection (fault 46c)', async () => {
    const { clock, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    const result = await tablet.api.call(updateCompanyUser, renameInput)
    const intent = 'intent' in result ? (result.intent ?? '') : ''
    await tablet.settle()
    const { getWaitReason } = createOutboxActions(tablet.ports)
    expect(await getWaitReason(intent)).toMatchObject({ kind: 'line' })
    await clock.advance(2 * halfSessionMs + 1)
    expect(await getWaitReason(intent)).toEqual({ kind: 'sign in' })
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(await getWaitReason(intent)).toBeNull()
  })
})
