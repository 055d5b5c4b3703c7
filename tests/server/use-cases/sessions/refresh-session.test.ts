import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import {
  requestToken,
  type SignedIn,
  startServer,
  type TestServer,
  buildUsername,
} from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const renew = (refresh: string, extraFields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  requestToken(
    server.fastify,
    { grant_type: 'refresh_token', refresh_token: refresh, ...extraFields },
    { 'x-token-store': 'body', ...headers },
  )

const readAccessOutcome = async (accessToken: string) => {
  const response = await server.send({ url: '/api/m18s/user', headers: { authorization: `Bearer ${accessToken}` } })
  return response.statusCode === 200 ? 'ok' : response.json().errorCode
}

async function renewTokens(refresh: string): Promise<{ accessToken: string; refresh: string }> {
  const response = await renew(refresh)
  expect(response.statusCode).toBe(200)
  return { accessToken: response.json().access_token, refresh: response.json().refresh_token }
}

describe('a copied refresh token', () => {
  const mailBox = createMailBox(() => server.app)
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })
  const readSubjects = async () => (await mailBox.fetch()).map(({ subject }) => subject.split(' · ')[0])
  const mailSubject = 'A session was ended for your safety'
  const renewAndReadRefusal = async (refresh: string, headers: Record<string, string> = {}) => {
    const response = await renew(refresh, {}, headers)
    return [response.statusCode, response.json().errorCode]
  }
  const buildLatestAccessHeader = ({ accessToken }: { accessToken: string }) => ({
    'x-newest-access': hashToken(accessToken),
  })

  test('is detected in the second round if thief and owner renew in turn (fault 14a)', async () => {
    const otherSession = await server.signIn('user@alpha')
    const [victim, thief] = [await renewTokens(user.refresh), await renewTokens(user.refresh)]
    expect([await readAccessOutcome(victim.accessToken), await readAccessOutcome(thief.accessToken)]).toEqual([
      'ok',
      'ok',
    ])
    const second = await renewTokens(victim.refresh)
    expect(await renewAndReadRefusal(thief.refresh)).toEqual([401, 'UNAUTHORIZED'])
    for (const { accessToken } of [victim, thief, second, user])
      expect(await readAccessOutcome(accessToken)).toBe('UNAUTHORIZED')
    expect(await readAccessOutcome(otherSession.accessToken)).toBe('ok')
    expect(await readSubjects()).toEqual([mailSubject])
  })

  test('is detected if the thief waits until the owner has renewed (fault 14a)', async () => {
    const thief = await renewTokens(user.refresh)
    server.clock.now += minuteMs
    const victim = await renewTokens(user.refresh)
    await renewTokens(thief.refresh)
    expect(await renewAndReadRefusal(victim.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await readSubjects()).toEqual([mailSubject])
  })

  test('ends the session if it is used after its successor, even within ten seconds (fault 14b)', async () => {
    const child = await renewTokens(user.refresh)
    await renewTokens(child.refresh)
    expect(await renewAndReadRefusal(user.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await readAccessOutcome(child.accessToken)).toBe('UNAUTHORIZED')
    expect(await readSubjects()).toEqual([mailSubject])
  })

  test('is rejected ten seconds after a token of its successor was used (fault 14c)', async () => {
    const child = await renewTokens(user.refresh)
    expect(await readAccessOutcome(child.accessToken)).toBe('ok')
    server.clock.now += 10_000
    await renewTokens(user.refresh)
    server.clock.now += 1
    expect(await renewAndReadRefusal(user.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await readAccessOutcome(child.accessToken)).toBe('UNAUTHORIZED')
    expect(await readSubjects()).toEqual([mailSubject])
  })

  test('is still accepted from a device that lost its cookies and has the latest access token (fault 14d)', async () => {
    const child = await renewTokens(user.refresh)
    expect(await readAccessOutcome(child.accessToken)).toBe('ok')
    server.clock.now += hourMs
    const response = await renew(user.refresh, {}, buildLatestAccessHeader(child))
    expect([response.statusCode, await readSubjects()]).toEqual([200, []])
    const renewedTokens = { access: response.json().access_token, refresh: response.json().refresh_token }
    expect(await readAccessOutcome(renewedTokens.access)).toBe('ok')
    expect(await renewAndReadRefusal(user.refresh, buildLatestAccessHeader(user))).toEqual([401, 'UNAUTHORIZED'])
    expect(await readAccessOutcome(renewedTokens.access)).toBe('UNAUTHORIZED')
  })
})

describe('renewing a session (K-20)', () => {
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })

  test('returns a new pair, and the former access token stays valid until it expires (K-06)', async () => {
    const second = await renewTokens(user.refresh)
    expect(second.refresh).not.toBe(user.refresh)
    expect(await readAccessOutcome(second.accessToken)).toBe('ok')
    expect(await readAccessOutcome(user.accessToken)).toBe('ok')
  })

  test('can be repeated after a lost response, unless the new tokens were used (K-07, R-23)', async () => {
    await renewTokens(user.refresh)
    server.clock.now += 5 * hourMs
    await renewTokens(user.refresh)
    const third = await renewTokens((await renewTokens(user.refresh)).refresh)
    expect(await readAccessOutcome(third.accessToken)).toBe('ok')
  })

  test('ends the session family if the successor of its token was used (K-07, K-09, S-43)', async () => {
    const otherSession = await server.signIn('user@alpha')
    const second = await renewTokens(user.refresh)
    const third = await renewTokens(second.refresh)
    const reuseResponse = await renew(user.refresh)
    expect([reuseResponse.statusCode, reuseResponse.json().errorCode]).toEqual([401, 'UNAUTHORIZED'])
    expect(await readAccessOutcome(third.accessToken)).toBe('UNAUTHORIZED')
    expect(await readAccessOutcome(second.accessToken)).toBe('UNAUTHORIZED')
    expect((await renew(third.refresh)).statusCode).toBe(401)
    // The session of the same user on another device is not affected.
    expect(await readAccessOutcome(otherSession.accessToken)).toBe('ok')
    expect(server.readLog()).toContain('"event":"token_reused"')
  })

  test('ends the session family if its token is an older ancestor', async () => {
    let refreshToken = user.refresh
    for (let generation = 0; generation < 4; generation++) refreshToken = (await renewTokens(refreshToken)).refresh
    expect((await renew(user.refresh)).statusCode).toBe(401)
    expect((await renew(refreshToken)).statusCode).toBe(401)
  })

  test('answers a hundred concurrent requests, and one pair stays valid (K-08, R-22)', async () => {
    const responses = await Promise.all(Array.from({ length: 100 }, () => renew(user.refresh)))
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const lastTokens = await renewTokens(responses.at(-1)?.json().refresh_token)
    expect(await readAccessOutcome(lastTokens.accessToken)).toBe('ok')
  })

  test('works after a server restart between commit and response', async () => {
    await renewTokens(user.refresh)
    const { config } = server.app
    server.app.config = { ...config, tokenKey: Buffer.from(config.tokenKey) }
    expect(await readAccessOutcome((await renewTokens(user.refresh)).accessToken)).toBe('ok')
  })

  test('accepts no access token, and a refresh token gives no access (K-11)', async () => {
    expect(await readAccessOutcome(user.refresh)).toBe('UNAUTHORIZED')
    expect((await renew(user.accessToken)).statusCode).toBe(401)
  })

  test('rejects a token with another id or a changed letter (K-01)', async () => {
    const [, randomPart] = user.accessToken.split('.')
    expect(await readAccessOutcome(user.accessToken)).toBe('ok')
    for (const id of [server.world.users['admin@alpha'], server.world.users['user@beta'], 0])
      expect(await readAccessOutcome(`${id}.${randomPart}`)).toBe('UNAUTHORIZED')
    const changedToken = `${user.refresh.slice(0, -1)}${user.refresh.endsWith('A') ? 'B' : 'A'}`
    expect((await renew(changedToken)).statusCode).toBe(401)
    expect((await renew(user.refresh)).statusCode).toBe(200)
  })

  test('rejects another client name', async () => {
    const response = await renew(user.refresh, {}, { authorization: 'Basic b3RoZXI6cHVibGlj' })
    expect(response.json().error).toBe('invalid_client')
  })

  test('is refused after twelve idle hours for customers and one for the provider (S-42)', async () => {
    const staff = await server.signIn('user@m18')
    server.clock.now += hourMs
    expect((await renew(staff.refresh)).statusCode).toBe(401)
    server.clock.now += 11 * hourMs
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('uses the idle limit of the successor if its parent is presented', async () => {
    await renewTokens(user.refresh)
    server.clock.now += 12 * hourMs
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('is not possible after the seventh day (K-06)', async () => {
    const seventhDayEnd = server.clock.now + 7 * 24 * hourMs
    let refreshToken = user.refresh
    while (server.clock.now + 11 * hourMs < seventhDayEnd) {
      server.clock.now += 11 * hourMs
      refreshToken = (await renewTokens(refreshToken)).refresh
    }
    server.clock.now = seventhDayEnd - minuteMs
    const lastResponse = await renew(refreshToken)
    expect([lastResponse.statusCode, lastResponse.json().expires_in]).toEqual([200, 60])
    server.clock.now = seventhDayEnd
    expect((await renew(lastResponse.json().refresh_token)).statusCode).toBe(401)
    expect(await readAccessOutcome(lastResponse.json().access_token)).toBe('UNAUTHORIZED')
  })

  test('survives a clock that is set back, without extending a token', async () => {
    server.clock.now -= hourMs
    expect(await readAccessOutcome(user.accessToken)).toBe('ok')
    const second = await renewTokens(user.refresh)
    server.clock.now += hourMs + 10 * minuteMs
    expect(await readAccessOutcome(second.accessToken)).toBe('TOKENEXPIRED')
  })

  test('rejects a session of another user than expected (protocol 28)', async () => {
    const otherUser = await server.signIn('order@alpha')
    const byHeader = await renew(
      user.refresh,
      {},
      { 'for-user': `${server.world.companies.alpha}:${otherUser.userId}` },
    )
    expect([byHeader.statusCode, byHeader.json().errorCode]).toEqual([409, 'WRONG_SESSION'])
    const byValue = await renew(user.refresh, { access_token: otherUser.accessToken })
    expect(byValue.statusCode).toBe(409)
    const ownResponse = await renew(user.refresh, { access_token: user.accessToken })
    expect(ownResponse.statusCode).toBe(200)
  })

  test('leaves the token unchanged if the write fails', async () => {
    const { database } = server.app
    const failingDatabase = { ...database, kysely: failOnCommit(database.kysely) }
    server.app.database = failingDatabase
    expect((await renew(user.refresh)).statusCode).toBe(500)
    server.app.database = database
    expect((await renew(user.refresh)).statusCode).toBe(200)
  })

  /** Simulates a connection that breaks while the renewal is committed. */
  const failOnCommit = (kysely: TestServer['app']['database']['kysely']) =>
    new Proxy(kysely, {
      get: (target, name) => {
        if (name !== 'transaction') return Reflect.get(target, name, target)
        return () => ({
          setIsolationLevel: () => ({
            execute: (work: (db: unknown) => Promise<unknown>) =>
              target.transaction().execute(async (db) => {
                await work(db)
                throw new Error('the line broke before the commit')
              }),
          }),
        })
      },
    })
})

describe('the refresh cookie', () => {
  const readRefreshCookie = (response: Awaited<ReturnType<typeof requestToken>>) => {
    const match = /portal-refresh=([\w-]+)/.exec(String(response.headers['set-cookie']))
    return match?.[1] ?? ''
  }
  const sameOrigin = { 'sec-fetch-site': 'same-origin' }
  const signInBrowser = async (headers: Record<string, string> = {}) =>
    readRefreshCookie(
      await requestToken(
        server.fastify,
        { grant_type: 'password', username: buildUsername('user@alpha'), password },
        { ...sameOrigin, ...headers },
      ),
    )
  const renewBrowser = (headers: Record<string, string>) =>
    requestToken(server.fastify, { grant_type: 'refresh_token', refresh_token: 'cookie' }, headers)

  test("renews only from the portal's origin (D85, S-55)", async () => {
    const cookie = `portal-access=1.x; portal-refresh=${await signInBrowser()}`
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }] as Record<
      string,
      string
    >[])
      expect((await renewBrowser({ cookie, ...headers })).statusCode).toBeGreaterThanOrEqual(401)
    const response = await renewBrowser({ cookie, ...sameOrigin })
    expect(response.statusCode).toBe(200)
    expect(readRefreshCookie(response)).toMatch(/^[\w-]{43}$/)
  })

  test('is never returned in the body, even if the header requests it (fault 14e)', async () => {
    const cookie = `portal-refresh=${await signInBrowser()}`
    const response = await renewBrowser({ cookie, ...sameOrigin, 'x-token-store': 'body' })
    expect([response.statusCode, response.json().refresh_token]).toEqual([200, 'cookie'])
    expect(readRefreshCookie(response)).toMatch(/^[\w-]{43}$/)
  })

  test('authenticates no other call (K-02)', async () => {
    const refresh = await signInBrowser()
    const { accessToken } = await server.signIn('user@alpha')
    const cookie = `portal-access=${accessToken}; portal-refresh=${refresh}`
    const response = await server.send({ url: '/api/m18s/user', headers: { cookie, ...sameOrigin } })
    expect([response.statusCode, response.json().errorCode]).toEqual([401, 'UNAUTHORIZED'])
  })

  test('is invalid after a new login in the same browser (protocol 29)', async () => {
    const olderToken = await signInBrowser()
    await signInBrowser({ cookie: `portal-refresh=${olderToken}` })
    expect((await renew(olderToken)).statusCode).toBe(401)
  })
})

describe('logging out', () => {
  const logout = (headers: Record<string, string>) => server.send({ method: 'POST', url: '/api/m18s/logout', headers })

  test('ends the family on the server and clears both cookies (M22, S-45)', async () => {
    const user = await server.signIn('user@alpha')
    const response = await logout({ authorization: `Bearer ${user.accessToken}` })
    expect(response.statusCode).toBe(204)
    expect([response.headers['set-cookie']].flat()).toEqual([
      'portal-access=; Max-Age=0; Path=/; SameSite=Strict',
      'portal-refresh=; Max-Age=0; Path=/api/m18s; HttpOnly; SameSite=Strict',
    ])
    expect(await readAccessOutcome(user.accessToken)).toBe('UNAUTHORIZED')
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test("works with the refresh cookie from the portal's origin after the access token expired", async () => {
    const user = await server.signIn('user@alpha')
    server.clock.now += hourMs
    const cookie = `portal-refresh=${user.refresh}`
    expect((await logout({ cookie })).statusCode).toBe(401)
    expect((await logout({ cookie, 'sec-fetch-site': 'same-origin' })).statusCode).toBe(204)
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('returns 401 the second time, without harm', async () => {
    const user = await server.signIn('user@alpha')
    await logout({ authorization: `Bearer ${user.accessToken}` })
    expect((await logout({ authorization: `Bearer ${user.accessToken}` })).statusCode).toBe(401)
  })
})

describe('the reason why a session ended', () => {
  const readSessionEndReason = async (refresh: string) => {
    const { errorCode, data } = (await renew(refresh)).json()
    return [errorCode, data?.why ?? null]
  }

  test('is returned for an expired session, but not for a session that was ended (fault 43j)', async () => {
    const [idleSession, endedSession] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    await endedSession.send({ method: 'POST', url: '/api/m18s/logout' })
    server.clock.now += 13 * hourMs
    expect(await readSessionEndReason(idleSession.refresh)).toEqual(['UNAUTHORIZED', 'lapsed'])
    expect(await readSessionEndReason(endedSession.refresh)).toEqual(['UNAUTHORIZED', null])
    expect(await readSessionEndReason('unknown')).toEqual(['UNAUTHORIZED', null])
  })

  test('is returned to a browser that has no token (fault 43j)', async () => {
    const response = await requestToken(server.fastify, { grant_type: 'refresh_token', refresh_token: 'cookie' })
    expect([response.statusCode, response.json().data]).toEqual([401, { why: 'missing' }])
  })
})
