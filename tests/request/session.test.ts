import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { getFreshToken } from '#request/session/send-signed-in.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { buildUser, companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  return { clock, server, tablet }
}
const usersInput = { params: { companyId } }
type SignedInSetup = Awaited<ReturnType<typeof openSignedInTablet>>
const countLocalRows = async ({ tablet }: SignedInSetup) =>
  (await tablet.device.getDatabase({ companyId, userId: 1 }).table('users').count()) as number
const sendWrite = ({ tablet }: SignedInSetup) =>
  tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })

describe('an expired token', () => {
  it('is renewed once for 100 calls, and each call is repeated once (R-22)', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await clock.advance(601_000)
    const results = await Promise.all(Array.from({ length: 100 }, () => tablet.api.call(listUsers, usersInput)))
    expect(results.every(({ kind }) => kind === 'fresh')).toBe(true)
    expect(server.renewals).toBe(1)
  })

  it('is renewed before the call if its cookie is missing (K-13)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.cookies.delete('portal-access')
    expect((await tablet.api.call(getUser, {})).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('is renewed with the user of the current session in the request', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.cookies.delete('portal-access')
    await tablet.api.call(getUser, {})
    const renewal = tablet.connection.log.find(({ request }) => request.body?.includes('refresh_token'))
    expect(renewal?.request.headers[headers.forUser]).toBe(`${companyId}:1`)
  })

  it('is renewed with the hash of the latest token, even if its cookie is older (fault 14d)', async () => {
    const { tablet } = await openSignedInTablet()
    const latestToken = tablet.cookies.get('portal-access') ?? ''
    tablet.cookies.delete('portal-access')
    tablet.reopen()
    await tablet.api.call(getUser, {})
    const renewal = tablet.connection.log.find(({ request }) => request.body?.includes('refresh_token'))
    expect(renewal?.request.headers[headers.latestAccess]).toBe(createHash('sha256').update(latestToken).digest('hex'))
  })

  it('ends no session without a connection, and the app opens with its cached data', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    tablet.cookies.delete('portal-access')
    tablet.connection.state = 'down'
    tablet.reopen()
    expect(await tablet.session()).toMatchObject({ userId: 1, signedOut: false })
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'cached', output: { id: 1 } })
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'cached' })
    expect(await countLocalRows(setup)).toBe(3)
  })

  it('is renewed after at most five seconds if a frozen tab holds the lock', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    let releaseLock = () => {}
    const frozenHolder = tablet.ports.locks.hold(
      'portal-renew',
      { waitMs: 0 },
      () => new Promise<void>((resolve) => (releaseLock = resolve)),
    )
    tablet.cookies.delete('portal-access')
    const pendingResult = tablet.api.call(getUser, {})
    await clock.advance(0)
    expect(server.renewals).toBe(0)
    for (let elapsedMs = 0; elapsedMs < 5_000; elapsedMs += 500) await clock.advance(500)
    expect((await pendingResult).kind).not.toBe('problem')
    expect(server.renewals).toBe(1)
    releaseLock()
    await frozenHolder
  })
})

describe('getFreshToken', () => {
  it('returns the current token, and renews a refused or missing token once for all callers', async () => {
    const { server, tablet } = await openSignedInTablet()
    const firstToken = await getFreshToken(tablet.ports, null)
    expect([firstToken, server.renewals]).toEqual([tablet.cookies.get('portal-access'), 0])
    const tokens = await Promise.all([getFreshToken(tablet.ports, firstToken), getFreshToken(tablet.ports, firstToken)])
    expect(new Set(tokens)).toEqual(new Set([tablet.cookies.get('portal-access')]))
    expect([tokens[0] === firstToken, server.renewals]).toEqual([false, 1])
    // The refused token is an older one, not the current one.
    expect(await getFreshToken(tablet.ports, firstToken)).toBe(tokens[0])
    tablet.cookies.delete('portal-access')
    expect(await getFreshToken(tablet.ports, null)).not.toBeNull()
    expect(server.renewals).toBe(2)
  })

  it('returns null without a connection', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.cookies.delete('portal-access')
    tablet.connection.state = 'down'
    expect(await getFreshToken(tablet.ports, null)).toBeNull()
  })

  it('renews the token before its end during a long upload', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await clock.advance(600_000 - 55_000)
    await getFreshToken(tablet.ports, null)
    await tablet.settle()
    expect(server.renewals).toBe(1)
  })
})

describe('a token near its end (K-05)', () => {
  const almostMs = 600_000 - 55_000

  it('is renewed once during 100 calls, which all use the old token', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await clock.advance(almostMs)
    const previousToken = tablet.cookies.get('portal-access')
    const results = await Promise.all(Array.from({ length: 100 }, () => tablet.api.call(listUsers, usersInput)))
    await tablet.settle()
    expect(results.every(({ kind }) => kind === 'fresh')).toBe(true)
    expect(server.renewals).toBe(1)
    expect(tablet.connection.log.filter(({ status }) => status === 401)).toEqual([])
    expect(tablet.cookies.get('portal-access')).not.toBe(previousToken)
  })

  it('is not renewed earlier or without calls, so that a device left alone does not stay signed in', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await clock.advance(600_000 - 91_000)
    await tablet.api.call(listUsers, usersInput)
    await clock.advance(90_000)
    await tablet.settle()
    expect(server.renewals).toBe(0)
  })

  it('is tried once if the server cannot renew it now, and again when it has ended', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await clock.advance(almostMs)
    let tryCount = 0
    server.script = (request) => {
      if (!request.body?.includes('refresh_token')) return null
      tryCount += 1
      return { status: 503, headers: {}, body: '' }
    }
    for (let round = 0; round < 5; round++) await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    expect(tryCount).toBe(1)
    server.script = null
    await clock.advance(60_000)
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('is renewed at most once after any jump of the clock (R-21)', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    // If the clock jumps forward, the token is treated as expired once. If it jumps back, the server reports the expiry.
    for (const ms of [10 * 31_557_600_000, -20 * 31_557_600_000]) {
      const previousRenewals = server.renewals
      tablet.ports.clock = () => clock.now() + ms
      for (let round = 0; round < 5; round++) await tablet.api.call(listUsers, usersInput)
      await tablet.settle()
      expect(server.renewals - previousRenewals).toBeLessThanOrEqual(1)
      expect(await tablet.session()).toMatchObject({ signedOut: false })
    }
  })
})

describe('a session that the server has ended', () => {
  it('deletes the cached rows, but never the waiting writes (protocol 32, W-02)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await sendWrite(setup)
    tablet.connection.state = 'up'
    server.revoke()
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    expect(await tablet.session()).toBeNull()
    expect(await countLocalRows(setup)).toBe(0)
    expect(await tablet.device.getDatabase({ companyId, userId: 1 }).outbox.count()).toBe(1)
  })

  it('is not assumed after a 401 that is not from the server (protocol 32)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    const body = JSON.stringify({ errorCode: 'UNAUTHORIZED' })
    server.script = () => ({ status: 401, headers: { 'content-type': 'application/json' }, body })
    await tablet.api.call(listUsers, usersInput)
    expect(await tablet.session()).toMatchObject({ userId: 1 })
    expect(await countLocalRows(setup)).toBe(3)
  })

  it('restores its waiting writes when the same user signs in again', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await sendWrite(setup)
    tablet.connection.state = 'up'
    server.revoke()
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(0)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(1)
  })
})

describe('a sign-out', () => {
  it('works offline: rows are deleted, writes wait, and nothing is renewed (protocol 29, W-02)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await sendWrite(setup)
    await tablet.signOut()
    expect(await tablet.session()).toMatchObject({ signedOut: true })
    expect(await countLocalRows(setup)).toBe(0)
    expect(await tablet.device.getDatabase({ companyId, userId: 1 }).outbox.count()).toBe(1)
    tablet.connection.state = 'up'
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({
      kind: 'problem',
      problem: { code: 'SIGNED_OUT' },
    })
    expect(server.renewals).toBe(0)
    expect(server.effects.size).toBe(0)
  })

  it('stays in effect if a cookie returns or a renewal was about to start', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    const cookie = tablet.cookies.get('portal-access') ?? ''
    let releaseLock = () => {}
    const lockHolder = tablet.ports.locks.hold(
      'portal-renew',
      { waitMs: 0 },
      () => new Promise<void>((resolve) => (releaseLock = resolve)),
    )
    tablet.cookies.delete('portal-access')
    const pendingResult = tablet.api.call(getUser, {})
    await clock.advance(0)
    tablet.connection.state = 'down'
    await tablet.signOut()
    tablet.connection.state = 'up'
    releaseLock()
    await Promise.all([pendingResult, lockHolder])
    expect(server.renewals).toBe(0)
    tablet.cookies.set('portal-access', cookie)
    const previousLength = tablet.connection.log.length
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ problem: { code: 'SIGNED_OUT' } })
    expect(tablet.connection.log.length).toBe(previousLength)
  })

  it('is completed at the next start if the browser died during it (protocol 30)', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    await tablet.device.directory.session.update('now', { signedOut: true })
    expect(await countLocalRows(setup)).toBe(3)
    tablet.reopen()
    tablet.connection.state = 'down'
    await tablet.tick()
    expect(await countLocalRows(setup)).toBe(0)
  })

  it('reaches the server once, as soon as possible, and only then is its mark on the device deleted', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await tablet.signOut()
    await tablet.tick()
    expect(await tablet.session()).toMatchObject({ signedOut: true })
    tablet.connection.state = 'up'
    await tablet.tick()
    await tablet.tick()
    expect(server.logouts).toBe(1)
    expect(await tablet.session()).toBeNull()
  })

  it('prevents the storing of a list that was in transit', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    let signingOut: Promise<void> | undefined
    const originalTransport = server.transport
    server.transport = async (request) => {
      const response = await originalTransport(request)
      if (request.path.includes('/users')) await (signingOut ??= tablet.signOut())
      return response
    }
    await tablet.api.call(listUsers, usersInput)
    expect(await countLocalRows(setup)).toBe(0)
  })
})

describe('another user on the same device', () => {
  it("stays signed in when the first user's late logout arrives (protocol 29)", async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    await tablet.signOut()
    tablet.connection.state = 'up'
    let finishLogout = () => {}
    const logoutFinished = new Promise<void>((resolve) => (finishLogout = resolve))
    const originalTransport = server.transport
    // Responds as the server does: it ends the session of the cookie, and deletes the cookies.
    server.transport = async (request) => {
      const response = await originalTransport(request)
      if (!request.path.endsWith('/logout')) return response
      await logoutFinished
      const expiredCookies = ['portal-access', 'portal-refresh'].map((name) => `${name}=; Path=/; Max-Age=0`)
      return { ...response, headers: { ...response.headers, 'set-cookie': expiredCookies } }
    }
    const firstTick = tablet.tick()
    await expect
      .poll(() => tablet.connection.log.filter(({ request }) => request.path.endsWith('/logout')))
      .toHaveLength(2)
    const secondSignIn = tablet.signIn('acme', 'user2@acme.example')
    // A page and its worker may both send the logout.
    const secondTick = tablet.tick()
    await clock.advance(0)
    finishLogout()
    await Promise.all([firstTick, secondSignIn, secondTick])
    expect(await tablet.session()).toMatchObject({ userId: 2, signedOut: false })
    expect(tablet.cookies.get('portal-access')).toMatch(/^2\./)
    expect(server.logouts).toBe(1)
    expect((await tablet.api.call(getUser, {})).kind).toBe('fresh')
  })

  it('sees nothing of the first, and never sends the waiting writes of the first (W-01, W-03, R-08)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await sendWrite(setup)
    await tablet.signOut()
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.tick()
    expect(await tablet.session()).toMatchObject({ userId: 2 })
    expect(await tablet.countWaiting()).toBe(0)
    expect(server.effects.size).toBe(0)
    await tablet.signOut()
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(server.effects.size).toBe(1)
  })

  it("does not run the first user's write when the cookie has changed (protocol 10, requirement 41)", async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await sendWrite(setup)
    tablet.connection.state = 'up'
    // The cookie changes, because another tab signs in another user.
    const otherSignIn = await server.transport({
      method: 'POST',
      path: '/api/m18s/token',
      headers: {},
      body: 'grant_type=password&username=acme:user2@acme.example',
    })
    tablet.cookies.set('portal-access', JSON.parse(otherSignIn.body).access_token)
    await tablet.tick()
    expect(server.effects.size).toBe(0)
    const entries = await tablet.device.getDatabase({ companyId, userId: 1 }).outbox.toArray()
    expect(entries).toMatchObject([{ state: 'sign in' }])
  })
})

describe('a response for another user', () => {
  it('stores no row (protocol 10)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    server.rows.set(4, buildUser(4))
    server.script = (request, respond) => {
      const response = respond()
      return request.path.includes('/users')
        ? { ...response, headers: { ...response.headers, [headers.subject]: '8:9' } }
        : null
    }
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    await tablet.settle()
    expect(await countLocalRows(setup)).toBe(3)
  })
})

describe('a device that lost its storage', () => {
  it('learns from the first response which user its cookie belongs to (protocol 31)', async () => {
    const { server, tablet, clock } = await openSignedInTablet()
    const freshTablet = createTablet((request) => server.transport(request), clock)
    for (const [name, value] of tablet.cookies) freshTablet.cookies.set(name, value)
    expect((await freshTablet.api.call(getUser, {})).kind).toBe('fresh')
    expect(await freshTablet.session()).toMatchObject({ companyId, userId: 1 })
  })
})
