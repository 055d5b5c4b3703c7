import { createHash } from 'node:crypto'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import {
  basicAuthorization,
  requestToken,
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
const signInByPassword = (userName: string, givenPassword = password, headers: Record<string, string> = {}) =>
  requestToken(
    server.fastify,
    { grant_type: 'password', scope: 'all', username: buildUsername(userName), password: givenPassword },
    headers,
  )

async function measureSignInMs(username: string): Promise<number> {
  const startedAt = performance.now()
  await requestToken(server.fastify, { grant_type: 'password', username, password: 'Not-the-one-44' })
  return performance.now() - startedAt
}

const getMedian = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe('signing in with a password', () => {
  test('returns an access token for ten minutes and the user (M20, S-42)', async () => {
    const response = await signInByPassword('user@alpha', password, { 'x-token-store': 'body' })
    expect(response.statusCode).toBe(200)
    const { access_token, refresh_token, ...rest } = response.json()
    expect(rest).toEqual({
      token_type: 'Bearer',
      expires_in: 600,
      refresh_expires_in: 43_200,
      user_id: server.world.users['user@alpha'],
      access_hash: createHash('sha256').update(access_token).digest('hex'),
    })
    expect(access_token).toMatch(new RegExp(`^${rest.user_id}\\.[\\w-]{43}$`))
    expect(refresh_token).toMatch(/^[\w-]{43}$/)
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  test('sets cookies in a browser, with the refresh token unreadable for scripts (M22, D85, K-03, K-04, K-10)', async () => {
    const response = await signInByPassword('user@alpha')
    expect(response.json().refresh_token).toBe('cookie')
    const cookies = [response.headers['set-cookie']].flat()
    expect(cookies[0]).toMatch(/^portal-access=\d+\.[\w-]+; Max-Age=600; Path=\/; SameSite=Strict$/)
    expect(cookies[1]).toMatch(/^portal-refresh=[\w-]+; Max-Age=43200; Path=\/api\/m18s; HttpOnly; SameSite=Strict$/)
    for (const cookie of cookies) expect(/=([^;]*)/.exec(String(cookie))?.[1]?.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(response.headers).length).toBeLessThan(4096)
  })

  test('accepts JSON from clients that send no forms (D59)', async () => {
    const response = await server.send({
      method: 'POST',
      url: '/api/m18s/token',
      headers: { authorization: basicAuthorization },
      payload: { grant_type: 'password', username: buildUsername('user@alpha'), password },
    })
    expect(response.statusCode).toBe(200)
  })

  test('returns the same error for unknown company, user or password, and a deleted user (S-32)', async () => {
    const responses = await Promise.all([
      signInByPassword('user@alpha', 'Not-the-one-44'),
      signInByPassword('nobody@alpha'),
      signInByPassword('user@nowhere'),
      signInByPassword('deleted@alpha'),
      signInByPassword('invited@alpha'),
      signInByPassword('disabled@alpha', 'Not-the-one-44'),
    ])
    for (const response of responses) {
      expect(response.statusCode).toBe(401)
      expect(response.json()).toMatchObject({ error: 'invalid_grant', errorCode: 'invalid_grant', data: null })
      expect(response.body).toBe(responses[0]?.body)
    }
  })

  test('takes about the same time for existing and missing accounts (S-32)', async () => {
    const knownTimesMs: number[] = []
    const unknownTimesMs: number[] = []
    for (let round = 0; round < 40; round++) {
      await runInTransaction(server.app, { role: 'portal_system' }, (db) => db.deleteFrom('attempt').execute())
      knownTimesMs.push(await measureSignInMs(buildUsername('user@alpha')))
      unknownTimesMs.push(await measureSignInMs('nowhere:nobody@nowhere.example'))
    }
    // The limits are wide, because other work runs on the machine. Without equal work the ratio would be three or more.
    expect(getMedian(knownTimesMs) / getMedian(unknownTimesMs)).toBeGreaterThan(0.6)
    expect(getMedian(knownTimesMs) / getMedian(unknownTimesMs)).toBeLessThan(1.6)
  })

  test('reveals the status of an account only with the right password (M34)', async () => {
    const waitingResponse = await signInByPassword('waiting@alpha')
    expect([waitingResponse.statusCode, waitingResponse.json().errorCode]).toEqual([401, 'USER_STATUS_DEACTIVATED'])
    const disabledResponse = await signInByPassword('disabled@alpha')
    expect([disabledResponse.statusCode, disabledResponse.json().errorCode]).toEqual([401, 'USER_STATUS_INVALID'])
    expect(disabledResponse.json().errorMessage).toBe(
      'User is in invalid status, please contact your system administrator',
    )
  })

  test('rejects other clients (D85)', async () => {
    for (const authorization of ['', `Basic ${Buffer.from('saas-web:other').toString('base64')}`, 'Bearer x']) {
      const response = await requestToken(server.fastify, { grant_type: 'password' }, { authorization })
      expect([response.statusCode, response.json().error]).toEqual([401, 'invalid_client'])
    }
  })

  test('creates new tokens each time, and never uses a token that the client chose (S-47)', async () => {
    const first = await server.signIn('user@alpha')
    const second = await server.signIn('user@alpha')
    expect(second.accessToken).not.toBe(first.accessToken)
    const chosenTokenResponse = await server.send({
      url: '/api/m18s/user',
      headers: { authorization: 'Bearer 1.mychoiceofatoken' },
    })
    expect(chosenTokenResponse.json().errorCode).toBe('UNAUTHORIZED')
  })

  test('stores no token or password in readable form (S-41)', async () => {
    const { accessToken, refresh } = await server.signIn('user@alpha')
    const databaseText = await runInTransaction(server.app, { role: 'portal_system' }, async (db) =>
      JSON.stringify([
        await db.selectFrom('token').selectAll().execute(),
        await db.selectFrom('session').selectAll().execute(),
        await db.selectFrom('portal_user').selectAll().execute(),
        await db.selectFrom('audit_entry').selectAll().execute(),
        await db.selectFrom('attempt').selectAll().execute(),
      ]),
    )
    for (const secret of [accessToken, accessToken.split('.')[1] ?? '', refresh, password])
      expect(databaseText).not.toContain(secret)
    expect(databaseText).toContain('$argon2id$v=19$m=4096,t=1,p=1$')
  })

  test('renews a password hash with a lower cost (S-26)', async () => {
    const { config } = server.app
    server.app.config = { ...config, argon2: { ...config.argon2, memoryCost: 8192 } }
    await server.signIn('user@alpha')
    server.app.config = config
    const hash = await readPasswordHash('user@alpha')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=8192,t=1,p=1\$/)
    await server.signIn('user@alpha')
    expect(await readPasswordHash('user@alpha')).toBe(hash)
  })

  test('stores a supported language of the client in the account (D68)', async () => {
    const readLanguageAndVersion = async (accessToken: string) => {
      const response = await server.send({ url: '/api/m18s/user', headers: { authorization: `Bearer ${accessToken}` } })
      const { language, row_version } = response.json()
      return [language, row_version]
    }
    const steps = [
      [undefined, ['en', 1]],
      ['zh', ['zh', 2]],
      ['zh-CN,zh;q=0.9', ['zh', 2]],
      ['*', ['zh', 2]],
      ['fr', ['zh', 2]],
      ['fr,en;q=0.5', ['en', 3]],
    ] as const
    for (const [acceptLanguage, expected] of steps) {
      const response = await signInByPassword(
        'user@alpha',
        password,
        acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage },
      )
      expect(await readLanguageAndVersion(response.json().access_token)).toEqual(expected)
    }
    const entries = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select('leaf').where('operation', '=', 'update').orderBy('id').execute(),
    )
    expect(entries.map(({ leaf }) => readLeaf(leaf).changes)).toEqual([
      [{ field: 'language', before: 'en', after: 'zh' }],
      [{ field: 'language', before: 'zh', after: 'en' }],
    ])
  })

  const readPasswordHash = (userName: string) =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const result = await sql<{
        password_hash: string
      }>`select password_hash from portal_user where id = ${server.world.users[userName]}`.execute(db)
      return result.rows[0]?.password_hash
    })
})

describe('guessing a password', () => {
  const guessPassword = (userName = 'user@alpha') => signInByPassword(userName, 'Not-the-one-44')

  test('blocks the account after five wrong passwords, with the waiting time (S-29, S-62)', async () => {
    for (let index = 0; index < 5; index++) expect((await guessPassword()).statusCode).toBe(401)
    const sixthResponse = await signInByPassword('user@alpha')
    expect([sixthResponse.statusCode, sixthResponse.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
    expect(sixthResponse.headers['retry-after']).toBe('30')
  })

  test('is handled the same for unknown accounts (S-29)', async () => {
    const knownSummaries: unknown[] = []
    const unknownSummaries: unknown[] = []
    for (let index = 0; index < 7; index++) {
      knownSummaries.push(summarize(await guessPassword('user@alpha')))
      unknownSummaries.push(summarize(await guessPassword('nobody@alpha')))
    }
    expect(unknownSummaries).toEqual(knownSummaries)
  })

  const summarize = (response: Awaited<ReturnType<typeof guessPassword>>) => [
    response.statusCode,
    response.body,
    response.headers['retry-after'],
  ]

  test('is limited to five of two hundred concurrent attempts (S-31)', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => guessPassword()))
    const checkedResponses = responses.filter((response) => response.statusCode === 401)
    expect(checkedResponses.length).toBeLessThanOrEqual(5)
    expect(responses.every((response) => [401, 429].includes(response.statusCode))).toBe(true)
  })

  test('is limited across all endpoints: five attempts for strangers, five for the user (S-31)', async () => {
    const user = await server.signIn('user@alpha')
    const activationForm = { username: buildUsername('user@alpha'), password: 'Not-the-one-44' }
    const passwordChange = { orgPwd: 'Not-the-one-44', newPwd: 'Slow-river-under-9-bridges' }
    const confirmation = { password: 'Not-the-one-44' }
    const anonymousAttempts = [
      () => guessPassword(),
      () => server.send({ method: 'POST', url: '/public/users/activatemail', payload: activationForm }),
    ]
    const signedInAttempts = [
      () => user.send({ method: 'POST', url: '/api/m18s/password', payload: passwordChange }),
      () => user.send({ method: 'POST', url: '/api/m18s/mfa/password', payload: confirmation }),
    ]
    for (const attempts of [anonymousAttempts, signedInAttempts]) {
      const responses = await Promise.all(attempts.flatMap((attempt) => Array.from({ length: 66 }, attempt)))
      const statuses = responses.map((response) => response.statusCode)
      expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(5)
      expect(statuses.filter((status) => ![400, 401, 429].includes(status))).toEqual([])
    }
  })

  test('causes growing waits, but never locks the owner out (S-30)', async () => {
    const waitsSeconds: number[] = []
    for (let round = 0; round < 14; round++) {
      let response = await guessPassword()
      while (response.statusCode === 401) response = await guessPassword()
      waitsSeconds.push(Number(response.headers['retry-after']))
      server.clock.now += Number(response.headers['retry-after']) * 1000
    }
    expect(waitsSeconds.slice(0, 4)).toEqual([30, 60, 120, 240])
    expect(Math.max(...waitsSeconds)).toBe(900)
    // Refused attempts in the meantime did not extend the wait.
    await guessPassword()
    for (let index = 0; index < 20; index++) await guessPassword()
    server.clock.now += 15 * minuteMs
    expect((await signInByPassword('user@alpha')).statusCode).toBe(200)
  })

  test('starts from zero again after the right password', async () => {
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 4; index++) expect((await guessPassword()).statusCode).toBe(401)
      expect((await signInByPassword('user@alpha')).statusCode).toBe(200)
    }
  })

  test('blocks the address if many accounts are guessed (S-29)', async () => {
    let lastStatus = 401
    for (let index = 0; index < 55 && lastStatus === 401; index++)
      lastStatus = (await guessPassword(`nobody${index}@alpha`)).statusCode
    expect(lastStatus).toBe(429)
  })
})

describe('the authentication of a request', () => {
  test('rejects the next request of a disabled user everywhere (S-44)', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    await admin.send({ method: 'POST', url: `/api/users/disable/${user.userId}` })
    expect((await user.send({ url: '/api/m18s/user' })).json().errorCode).toBe('UNAUTHORIZED')
    const renewal = await requestToken(server.fastify, { grant_type: 'refresh_token', refresh_token: user.refresh })
    expect(renewal.statusCode).toBe(401)
    // Enabling the user allows a new sign-in, but does not restore sessions.
    await admin.send({ method: 'POST', url: `/api/users/enable/${user.userId}` })
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
    await server.signIn('user@alpha')
  })

  test('applies a removed flag at the next request (S-52)', async () => {
    const admin = await server.signIn('admin@alpha')
    const second = await server.signIn('second@alpha')
    const list = `/api/m18s/company/${server.world.companies.alpha}/users`
    expect((await second.send({ url: list })).statusCode).toBe(200)
    const updateResponse = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/${second.userId}`,
      payload: { admin: false },
    })
    expect(updateResponse.statusCode).toBe(200)
    expect((await second.send({ url: list })).statusCode).toBe(403)
  })

  test('rejects an access token after ten minutes with TOKENEXPIRED (S-42)', async () => {
    const user = await server.signIn('user@alpha')
    server.clock.now += 10 * minuteMs
    const lateResponse = await user.send({ url: '/api/m18s/user' })
    expect([lateResponse.statusCode, lateResponse.json().errorCode]).toEqual([401, 'TOKENEXPIRED'])
    expect(lateResponse.headers['www-authenticate']).toBe('Bearer')
  })
})
