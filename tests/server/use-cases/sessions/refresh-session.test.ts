import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { grant, type SignedIn, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minute = 60_000
const hour = 60 * minute

const renew = (refresh: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  grant(
    server.fastify,
    { grant_type: 'refresh_token', refresh_token: refresh, ...more },
    { 'x-token-store': 'body', ...headers },
  )

const asks = async (access: string) => {
  const answer = await server.send({ url: '/api/m18s/user', headers: { authorization: `Bearer ${access}` } })
  return answer.statusCode === 200 ? 'ok' : answer.json().errorCode
}

async function next(refresh: string): Promise<{ access: string; refresh: string }> {
  const answer = await renew(refresh)
  expect(answer.statusCode).toBe(200)
  return { access: answer.json().access_token, refresh: answer.json().refresh_token }
}

describe('a refresh token that somebody has copied', () => {
  const box = mailBox(() => server.app)
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })
  const subjects = async () => (await box.fetch()).map(({ subject }) => subject.split(' · ')[0])
  const mailed = 'A session was ended for your safety'
  const refused = async (refresh: string, headers: Record<string, string> = {}) => {
    const answer = await renew(refresh, {}, headers)
    return [answer.statusCode, answer.json().errorCode]
  }
  const newestAccess = ({ access }: { access: string }) => ({ 'x-newest-access': hashToken(access) })

  test('fault 14a thief and victim who rotate in step are noticed in the second round', async () => {
    const other = await server.signIn('user@alpha')
    const [victim, thief] = [await next(user.refresh), await next(user.refresh)]
    expect([await asks(victim.access), await asks(thief.access)]).toEqual(['ok', 'ok'])
    const second = await next(victim.refresh)
    expect(await refused(thief.refresh)).toEqual([401, 'UNAUTHORIZED'])
    for (const { access } of [victim, thief, second, user]) expect(await asks(access)).toBe('UNAUTHORIZED')
    expect(await asks(other.access)).toBe('ok')
    expect(await subjects()).toEqual([mailed])
  })

  test('fault 14a a thief who keeps still until the victim has rotated is noticed as well', async () => {
    const thief = await next(user.refresh)
    server.clock.now += minute
    const victim = await next(user.refresh)
    await next(thief.refresh)
    expect(await refused(victim.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await subjects()).toEqual([mailed])
  })

  test('fault 14b the grace ends, within ten seconds too, when the child’s refresh token is presented', async () => {
    const child = await next(user.refresh)
    await next(child.refresh)
    expect(await refused(user.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await asks(child.access)).toBe('UNAUTHORIZED')
    expect(await subjects()).toEqual([mailed])
  })

  test('fault 14c after ten seconds a parent is good only if no token of its child was presented', async () => {
    const child = await next(user.refresh)
    expect(await asks(child.access)).toBe('ok')
    server.clock.now += 10_000
    await next(user.refresh)
    server.clock.now += 1
    expect(await refused(user.refresh)).toEqual([401, 'UNAUTHORIZED'])
    expect(await asks(child.access)).toBe('UNAUTHORIZED')
    expect(await subjects()).toEqual([mailed])
  })

  test('fault 14d a device that shows the newest token it was given comes back without its cookies, and no thief with it', async () => {
    const child = await next(user.refresh)
    expect(await asks(child.access)).toBe('ok')
    server.clock.now += hour
    const answer = await renew(user.refresh, {}, newestAccess(child))
    expect([answer.statusCode, await subjects()]).toEqual([200, []])
    const back = { access: answer.json().access_token, refresh: answer.json().refresh_token }
    expect(await asks(back.access)).toBe('ok')
    expect(await refused(user.refresh, newestAccess(user))).toEqual([401, 'UNAUTHORIZED'])
    expect(await asks(back.access)).toBe('UNAUTHORIZED')
  })
})

describe('renewing (K-20)', () => {
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })

  test('each refresh token is given a new pair, and the former access token still ends by itself (K-06)', async () => {
    const second = await next(user.refresh)
    expect(second.refresh).not.toBe(user.refresh)
    expect(await asks(second.access)).toBe('ok')
    expect(await asks(user.access)).toBe('ok')
  })

  test('a lost answer can be asked for again, as long as nobody came with what was in it (K-07, R-23)', async () => {
    await next(user.refresh)
    server.clock.now += 5 * hour
    await next(user.refresh)
    const third = await next((await next(user.refresh)).refresh)
    expect(await asks(third.access)).toBe('ok')
  })

  test('once the child was presented, its parent can only be a copy: the family ends (K-07, K-09, S-43)', async () => {
    const other = await server.signIn('user@alpha')
    const second = await next(user.refresh)
    const third = await next(second.refresh)
    const reused = await renew(user.refresh)
    expect([reused.statusCode, reused.json().errorCode]).toEqual([401, 'UNAUTHORIZED'])
    expect(await asks(third.access)).toBe('UNAUTHORIZED')
    expect(await asks(second.access)).toBe('UNAUTHORIZED')
    expect((await renew(third.refresh)).statusCode).toBe(401)
    // The same user's session on another device has nothing to do with it.
    expect(await asks(other.access)).toBe('ok')
    expect(server.logged()).toContain('token reused')
  })

  test('an older ancestor ends the family as well', async () => {
    let at = user.refresh
    for (let generation = 0; generation < 4; generation++) at = (await next(at)).refresh
    expect((await renew(user.refresh)).statusCode).toBe(401)
    expect((await renew(at)).statusCode).toBe(401)
  })

  test('of a hundred refreshes at once each is answered, and one of the pairs goes on (K-08, R-22)', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => renew(user.refresh)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const last = await next(answers.at(-1)?.json().refresh_token)
    expect(await asks(last.access)).toBe('ok')
  })

  test('a server that starts anew between commit and answer exchanges it again', async () => {
    await next(user.refresh)
    const { config } = server.app
    server.app.config = { ...config, tokenKey: Buffer.from(config.tokenKey) }
    expect(await asks((await next(user.refresh)).access)).toBe('ok')
  })

  test('tokens are no good in each other’s place (K-11)', async () => {
    expect(await asks(user.refresh)).toBe('UNAUTHORIZED')
    expect((await renew(user.access)).statusCode).toBe(401)
  })

  test('what stands in a token decides nothing: another id in front of it, or one letter changed, and it is unknown (K-01)', async () => {
    const [, random] = user.access.split('.')
    expect(await asks(user.access)).toBe('ok')
    for (const id of [server.world.users['admin@alpha'], server.world.users['user@beta'], 0])
      expect(await asks(`${id}.${random}`)).toBe('UNAUTHORIZED')
    const changed = `${user.refresh.slice(0, -1)}${user.refresh.endsWith('A') ? 'B' : 'A'}`
    expect((await renew(changed)).statusCode).toBe(401)
    expect((await renew(user.refresh)).statusCode).toBe(200)
  })

  test('another client’s name renews nothing', async () => {
    const answer = await renew(user.refresh, {}, { authorization: 'Basic b3RoZXI6cHVibGlj' })
    expect(answer.json().error).toBe('invalid_client')
  })

  test('twelve idle hours end a customer’s session, one a provider’s (S-42)', async () => {
    const staff = await server.signIn('user@m18')
    server.clock.now += hour
    expect((await renew(staff.refresh)).statusCode).toBe(401)
    server.clock.now += 11 * hour
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('the child’s idle end holds when its parent is presented', async () => {
    await next(user.refresh)
    server.clock.now += 12 * hour
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('no rotation outlives the seventh day (K-06)', async () => {
    const end = server.clock.now + 7 * 24 * hour
    let at = user.refresh
    while (server.clock.now + 11 * hour < end) {
      server.clock.now += 11 * hour
      at = (await next(at)).refresh
    }
    server.clock.now = end - minute
    const last = await renew(at)
    expect([last.statusCode, last.json().expires_in]).toEqual([200, 60])
    server.clock.now = end
    expect((await renew(last.json().refresh_token)).statusCode).toBe(401)
    expect(await asks(last.json().access_token)).toBe('UNAUTHORIZED')
  })

  test('a clock that goes back lets nobody in longer than the token says, and nobody out', async () => {
    server.clock.now -= hour
    expect(await asks(user.access)).toBe('ok')
    const second = await next(user.refresh)
    server.clock.now += hour + 10 * minute
    expect(await asks(second.access)).toBe('TOKENEXPIRED')
  })

  test('another’s cookie is not rotated: the call says whose it expects (protocol 28)', async () => {
    const other = await server.signIn('order@alpha')
    const byHeader = await renew(user.refresh, {}, { 'for-user': `${server.world.companies.alpha}:${other.userId}` })
    expect([byHeader.statusCode, byHeader.json().errorCode]).toEqual([409, 'WRONG_SESSION'])
    const byValue = await renew(user.refresh, { access_token: other.access })
    expect(byValue.statusCode).toBe(409)
    const own = await renew(user.refresh, { access_token: user.access })
    expect(own.statusCode).toBe(200)
  })

  test('a failed write leaves the token as it was', async () => {
    const { database } = server.app
    const broken = { ...database, kysely: brokenOnce(database.kysely) }
    server.app.database = broken
    expect((await renew(user.refresh)).statusCode).toBe(500)
    server.app.database = database
    expect((await renew(user.refresh)).statusCode).toBe(200)
  })

  /** A connection that breaks in the middle of a rotation. */
  const brokenOnce = (kysely: TestServer['app']['database']['kysely']) =>
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
  const cookieOf = (answer: Awaited<ReturnType<typeof grant>>) => {
    const found = /portal-refresh=([\w-]+)/.exec(String(answer.headers['set-cookie']))
    return found?.[1] ?? ''
  }
  const sameOrigin = { 'sec-fetch-site': 'same-origin' }
  const signInBrowser = async (headers: Record<string, string> = {}) =>
    cookieOf(
      await grant(
        server.fastify,
        { grant_type: 'password', username: usernameOf('user@alpha'), password },
        { ...sameOrigin, ...headers },
      ),
    )
  const renewBrowser = (headers: Record<string, string>) =>
    grant(server.fastify, { grant_type: 'refresh_token', refresh_token: 'cookie' }, headers)

  test('renews from our own origin alone (D85, S-55)', async () => {
    const cookie = `portal-access=1.x; portal-refresh=${await signInBrowser()}`
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }] as Record<
      string,
      string
    >[])
      expect((await renewBrowser({ cookie, ...headers })).statusCode).toBeGreaterThanOrEqual(401)
    const answer = await renewBrowser({ cookie, ...sameOrigin })
    expect(answer.statusCode).toBe(200)
    expect(cookieOf(answer)).toMatch(/^[\w-]{43}$/)
  })

  test('fault 14e is never given to script: what came as a cookie leaves as one, whatever the header asks for', async () => {
    const cookie = `portal-refresh=${await signInBrowser()}`
    const answer = await renewBrowser({ cookie, ...sameOrigin, 'x-token-store': 'body' })
    expect([answer.statusCode, answer.json().refresh_token]).toEqual([200, 'cookie'])
    expect(cookieOf(answer)).toMatch(/^[\w-]{43}$/)
  })

  test('alone signs nobody in on any other call (K-02)', async () => {
    const refresh = await signInBrowser()
    const { access } = await server.signIn('user@alpha')
    const cookie = `portal-access=${access}; portal-refresh=${refresh}`
    const answer = await server.send({ url: '/api/m18s/user', headers: { cookie, ...sameOrigin } })
    expect([answer.statusCode, answer.json().errorCode]).toEqual([401, 'UNAUTHORIZED'])
  })

  test('a password sign-in over an older family’s cookie ends that family (protocol 29)', async () => {
    const older = await signInBrowser()
    await signInBrowser({ cookie: `portal-refresh=${older}` })
    expect((await renew(older)).statusCode).toBe(401)
  })
})

describe('signing out', () => {
  const logout = (headers: Record<string, string>) => server.send({ method: 'POST', url: '/api/m18s/logout', headers })

  test('ends the family on the server and clears both cookies (M22, S-45)', async () => {
    const user = await server.signIn('user@alpha')
    const answer = await logout({ authorization: `Bearer ${user.access}` })
    expect(answer.statusCode).toBe(204)
    expect([answer.headers['set-cookie']].flat()).toEqual([
      'portal-access=; Max-Age=0; Path=/; SameSite=Strict',
      'portal-refresh=; Max-Age=0; Path=/api/m18s; HttpOnly; SameSite=Strict',
    ])
    expect(await asks(user.access)).toBe('UNAUTHORIZED')
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('works by the refresh cookie alone, from our own origin, long after the access token ended', async () => {
    const user = await server.signIn('user@alpha')
    server.clock.now += hour
    const cookie = `portal-refresh=${user.refresh}`
    expect((await logout({ cookie })).statusCode).toBe(401)
    expect((await logout({ cookie, 'sec-fetch-site': 'same-origin' })).statusCode).toBe(204)
    expect((await renew(user.refresh)).statusCode).toBe(401)
  })

  test('twice is told, and does no harm', async () => {
    const user = await server.signIn('user@alpha')
    await logout({ authorization: `Bearer ${user.access}` })
    expect((await logout({ authorization: `Bearer ${user.access}` })).statusCode).toBe(401)
  })
})

describe('why a session is over', () => {
  const why = async (refresh: string) => {
    const { errorCode, data } = (await renew(refresh)).json()
    return [errorCode, data?.why ?? null]
  }

  test('fault 43j is said where its time is over, and not where somebody ended it', async () => {
    const [idle, ended] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    await ended.send({ method: 'POST', url: '/api/m18s/logout' })
    server.clock.now += 13 * hour
    expect(await why(idle.refresh)).toEqual(['UNAUTHORIZED', 'lapsed'])
    expect(await why(ended.refresh)).toEqual(['UNAUTHORIZED', null])
    expect(await why('unknown')).toEqual(['UNAUTHORIZED', null])
  })

  test('fault 43j a browser that dropped its token is told so', async () => {
    const answer = await grant(server.fastify, { grant_type: 'refresh_token', refresh_token: 'cookie' })
    expect([answer.statusCode, answer.json().data]).toEqual([401, { why: 'missing' }])
  })
})
