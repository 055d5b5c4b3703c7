import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SessionRow } from '#contract/sessions.ts'
import { socketTimingsMs } from '#server/http/progress-socket.ts'
import { parseUserAgent, maskAddress } from '#server/use-cases/sessions/user-agent.ts'
import { requestToken, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const path = '/api/m18s/sessions'
const minuteMs = 60_000

describe('sessions', () => {
  let server: TestServer
  beforeAll(async () => {
    Object.assign(socketTimingsMs, { look: 600_000 })
    server = await startServer()
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const listSessions = async (caller: SignedIn): Promise<SessionRow[]> => (await caller.send({ url: path })).json()
  const isSignedIn = async (caller: SignedIn) => (await caller.send({ url: '/api/m18s/user' })).statusCode === 200
  const canRenew = async ({ refresh }: SignedIn) =>
    (await requestToken(server.fastify, { grant_type: 'refresh_token', refresh_token: refresh })).statusCode === 200
  const deleteSession = (caller: SignedIn, url: string) => caller.send({ method: 'DELETE', url })

  test('are listed for their user only, the current one first, then the latest used (S-46)', async () => {
    await server.signIn('admin@alpha')
    const first = await server.signIn('user@alpha')
    server.clock.now += minuteMs
    const second = await server.signIn('user@alpha')
    server.clock.now += minuteMs
    await canRenew(second)
    const sessionRows = await listSessions(first)
    expect(sessionRows.map(({ current }) => current)).toEqual([true, false])
    expect(sessionRows[1]).toMatchObject({
      network: '127.0.0.*',
      create_time: '2026-03-02 10:01:00',
      last_time: '2026-03-02 10:02:00',
    })
    expect(JSON.stringify(sessionRows)).not.toContain('127.0.0.1')
  })

  test('are not listed once they cannot be renewed', async () => {
    await server.signIn('user@alpha')
    server.clock.now += 12 * 60 * minuteMs
    expect(await listSessions(await server.signIn('user@alpha'))).toHaveLength(1)
  })

  test('are refused at their next request once they are ended, and cannot be renewed (S-44, S-46)', async () => {
    const localSession = await server.signIn('admin@alpha')
    const otherSession = await server.signIn('admin@alpha')
    const users = `/api/m18s/company/${server.world.companies.alpha}/users`
    expect((await otherSession.send({ url: users })).statusCode).toBe(200)
    const otherRow = (await listSessions(localSession)).find(({ current }) => !current)
    expect((await deleteSession(localSession, `${path}/${otherRow?.id}`)).statusCode).toBe(204)
    expect((await otherSession.send({ url: users })).json().errorCode).toBe('UNAUTHORIZED')
    expect([await isSignedIn(localSession), await isSignedIn(otherSession), await canRenew(otherSession)]).toEqual([
      true,
      false,
      false,
    ])
    expect(await listSessions(localSession)).toHaveLength(1)
    expect((await deleteSession(localSession, `${path}/${otherRow?.id}`)).json().errorCode).toBe('NOT_FOUND')
  })

  test('return 404 if they belong to other users (S-46, S-53)', async () => {
    const user = await server.signIn('user@alpha')
    for (const userName of ['second@alpha', 'admin@beta']) {
      const foreignUser = await server.signIn(userName)
      const [row] = await listSessions(foreignUser)
      const response = await deleteSession(user, `${path}/${row?.id}`)
      expect([response.statusCode, response.json().errorCode, await isSignedIn(foreignUser)]).toEqual([
        404,
        'NOT_FOUND',
        true,
      ])
    }
  })

  test('can all be ended in one call, except for the current session', async () => {
    const localSession = await server.signIn('user@alpha')
    const otherSessions = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    expect((await deleteSession(localSession, path)).statusCode).toBe(204)
    expect(await Promise.all([localSession, ...otherSessions].map(isSignedIn))).toEqual([true, false, false])
    expect(await Promise.all([localSession, ...otherSessions].map(canRenew))).toEqual([true, false, false])
  })

  test('can all be ended by an admin of the same company only (S-46)', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    const second = await server.signIn('second@alpha')
    const url = `/api/m18s/user/${user.userId}/sessions`
    for (const [caller, status, code] of [
      [user, 403, 'FORBIDDEN'],
      [await server.signIn('admin@beta'), 404, 'USER_NOT_EXIST'],
    ] as const) {
      const response = await deleteSession(caller, url)
      expect([response.statusCode, response.json().errorCode]).toEqual([status, code])
    }
    const ownResponse = await deleteSession(admin, `/api/m18s/user/${admin.userId}/sessions`)
    expect(ownResponse.json().errorCode).toBe('SELF_FORBIDDEN')
    expect(await isSignedIn(user)).toBe(true)
    expect((await deleteSession(admin, url)).statusCode).toBe(204)
    expect([await isSignedIn(user), await canRenew(user), await isSignedIn(second)]).toEqual([false, false, true])
    // The account itself is unchanged, and the user can sign in again.
    await server.signIn('user@alpha')
  })

  /**
   * Opens a socket of the caller and returns the close code. Repeats `endSession` until the socket closes, because the server registers the
   * socket at an unknown time.
   */
  async function waitForClose(caller: SignedIn, endSession: () => Promise<unknown>): Promise<number> {
    const host = `127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
    const Client = WebSocket as unknown as new (url: string, options: object) => WebSocket
    const socket = new Client(`ws://${host}/api/m18s/progress`, { headers: { origin: `http://${host}` } })
    const closeCode = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    socket.send(JSON.stringify({ token: caller.accessToken }))
    const isClosed = async () => {
      await endSession()
      return socket.readyState === socket.CLOSED
    }
    await expect.poll(isClosed).toBe(true)
    return closeCode
  }

  describe('close their sockets immediately (S-59)', () => {
    const sendForm = (caller: SignedIn, url: string, fields: Record<string, string>) =>
      caller.send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(new URLSearchParams(fields)),
      })

    test('when they are ended by their user', async () => {
      const [localSession, otherSession] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
      expect(await waitForClose(otherSession, () => deleteSession(localSession, path))).toBe(4401)
    })

    test('on logout', async () => {
      const session = await server.signIn('user@alpha')
      expect(await waitForClose(session, () => session.send({ method: 'POST', url: '/api/m18s/logout' }))).toBe(4401)
    })

    test('when the password is changed elsewhere', async () => {
      const [localSession, otherSession] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
      const passwords = ['Quiet-harbour-27', 'Loud-harbour-over-28']
      const change = async () => {
        const [orgPwd = '', newPwd = ''] = passwords
        const { statusCode } = await sendForm(localSession, '/api/m18s/password', { orgPwd, newPwd })
        if (statusCode < 300) passwords.reverse()
      }
      expect(await waitForClose(otherSession, change)).toBe(4401)
    })

    test('when a refresh token is used twice', async () => {
      const session = await server.signIn('user@alpha')
      const renew = (refresh_token: string) =>
        requestToken(server.fastify, { grant_type: 'refresh_token', refresh_token }, { 'x-token-store': 'body' })
      const { refresh_token: second } = (await renew(session.refresh)).json()
      const { access_token: access } = (await renew(second)).json()
      expect(await waitForClose({ ...session, accessToken: access }, () => renew(session.refresh))).toBe(4401)
    })

    test('when an admin disables the user', async () => {
      const [admin, session] = [await server.signIn('admin@alpha'), await server.signIn('user@alpha')]
      const url = `/api/users/disable/${session.userId}`
      expect(await waitForClose(session, () => admin.send({ method: 'POST', url }))).toBe(4401)
    })
  })
})

describe('the description of a device', () => {
  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
      ['Chrome', 'Windows', 'desktop'],
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      ['Safari', 'iOS', 'tablet'],
    ],
    ['http://buy.example/now (really)', [null, null, null]],
    ['', [null, null, null]],
    ['curl/8.5.0', [null, null, null]],
  ])('is derived from the user agent: %s', (userAgent, expected) => {
    const { browser, system, form } = parseUserAgent(userAgent)
    expect([browser, system, form]).toEqual(expected)
  })

  test.each([
    ['203.0.113.77', '203.0.113.*'],
    ['::ffff:203.0.113.77', '203.0.113.*'],
    ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3::*'],
    ['2001:db8::1', '2001:db8::*'],
    ['::1', '::*'],
  ])('contains the network address without its last part: %s', (address, network) =>
    expect(maskAddress(address)).toBe(network),
  )
})
