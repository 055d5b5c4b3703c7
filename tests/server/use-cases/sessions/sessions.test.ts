import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SessionRow } from '#contract/sessions.ts'
import { times } from '#server/http/progress-socket.ts'
import { deviceWords, networkOf } from '#server/use-cases/sessions/user-agent.ts'
import { grant, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const path = '/api/m18s/sessions'
const minute = 60_000

describe('sessions', () => {
  let server: TestServer
  beforeAll(async () => {
    Object.assign(times, { look: 600_000 })
    server = await startServer()
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const listOf = async (who: SignedIn): Promise<SessionRow[]> => (await who.send({ url: path })).json()
  const isIn = async (who: SignedIn) => (await who.send({ url: '/api/m18s/user' })).statusCode === 200
  const renews = async ({ refresh }: SignedIn) =>
    (await grant(server.fastify, { grant_type: 'refresh_token', refresh_token: refresh })).statusCode === 200
  const end = (who: SignedIn, url: string) => who.send({ method: 'DELETE', url })

  test('are listed for their user alone, this one first, then the latest used (S-46)', async () => {
    await server.signIn('admin@alpha')
    const first = await server.signIn('user@alpha')
    server.clock.now += minute
    const second = await server.signIn('user@alpha')
    server.clock.now += minute
    await renews(second)
    const seen = await listOf(first)
    expect(seen.map(({ current }) => current)).toEqual([true, false])
    expect(seen[1]).toMatchObject({
      network: '127.0.0.*',
      create_time: '2026-03-02 10:01:00',
      last_time: '2026-03-02 10:02:00',
    })
    expect(JSON.stringify(seen)).not.toContain('127.0.0.1')
  })

  test('that nobody can renew any more are not among them', async () => {
    await server.signIn('user@alpha')
    server.clock.now += 12 * 60 * minute
    expect(await listOf(await server.signIn('user@alpha'))).toHaveLength(1)
  })

  test('one ended is out with its next request, of any kind, and cannot be renewed (S-44, S-46)', async () => {
    const here = await server.signIn('admin@alpha')
    const there = await server.signIn('admin@alpha')
    const users = `/api/m18s/company/${server.world.companies.alpha}/users`
    expect((await there.send({ url: users })).statusCode).toBe(200)
    const other = (await listOf(here)).find(({ current }) => !current)
    expect((await end(here, `${path}/${other?.id}`)).statusCode).toBe(204)
    expect((await there.send({ url: users })).json().errorCode).toBe('UNAUTHORIZED')
    expect([await isIn(here), await isIn(there), await renews(there)]).toEqual([true, false, false])
    expect(await listOf(here)).toHaveLength(1)
    expect((await end(here, `${path}/${other?.id}`)).json().errorCode).toBe('NOT_FOUND')
  })

  test("another's is not there, a colleague's as little as a stranger's (S-46, S-53)", async () => {
    const user = await server.signIn('user@alpha')
    for (const who of ['second@alpha', 'admin@beta']) {
      const theirs = await server.signIn(who)
      const [row] = await listOf(theirs)
      const answer = await end(user, `${path}/${row?.id}`)
      expect([answer.statusCode, answer.json().errorCode, await isIn(theirs)]).toEqual([404, 'NOT_FOUND', true])
    }
  })

  test('all others end together, and this one goes on', async () => {
    const here = await server.signIn('user@alpha')
    const others = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    expect((await end(here, path)).statusCode).toBe(204)
    expect(await Promise.all([here, ...others].map(isIn))).toEqual([true, false, false])
    expect(await Promise.all([here, ...others].map(renews))).toEqual([true, false, false])
  })

  test("all of a user's are ended by an admin of the same company, and by nobody else (S-46)", async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    const second = await server.signIn('second@alpha')
    const url = `/api/m18s/user/${user.userId}/sessions`
    for (const [who, status, code] of [
      [user, 403, 'FORBIDDEN'],
      [await server.signIn('admin@beta'), 404, 'USER_NOT_EXIST'],
    ] as const) {
      const answer = await end(who, url)
      expect([answer.statusCode, answer.json().errorCode]).toEqual([status, code])
    }
    const own = await end(admin, `/api/m18s/user/${admin.userId}/sessions`)
    expect(own.json().errorCode).toBe('SELF_FORBIDDEN')
    expect(await isIn(user)).toBe(true)
    expect((await end(admin, url)).statusCode).toBe(204)
    expect([await isIn(user), await renews(user), await isIn(second)]).toEqual([false, false, true])
    // Nothing of the account is changed: the user signs in again.
    await server.signIn('user@alpha')
  })

  /** A socket of theirs, and whether it closes by what is done until it listens: how soon that is nobody is told. */
  async function closesBy(who: SignedIn, act: () => Promise<unknown>): Promise<number> {
    const host = `127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
    const Client = WebSocket as unknown as new (url: string, how: object) => WebSocket
    const socket = new Client(`ws://${host}/api/m18s/progress`, { headers: { origin: `http://${host}` } })
    const closed = new Promise<number>((told) => socket.addEventListener('close', ({ code }) => told(code)))
    await new Promise((opened) => socket.addEventListener('open', opened))
    socket.send(JSON.stringify({ token: who.access }))
    const isClosed = async () => {
      await act()
      return socket.readyState === socket.CLOSED
    }
    await expect.poll(isClosed).toBe(true)
    return closed
  }

  describe('their sockets close at once, not at the next look (S-59):', () => {
    const sendForm = (who: SignedIn, url: string, fields: Record<string, string>) =>
      who.send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(new URLSearchParams(fields)),
      })

    test('ended by their user', async () => {
      const [here, there] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
      expect(await closesBy(there, () => end(here, path))).toBe(4401)
    })

    test('by logging out', async () => {
      const there = await server.signIn('user@alpha')
      expect(await closesBy(there, () => there.send({ method: 'POST', url: '/api/m18s/logout' }))).toBe(4401)
    })

    test('by a password that is changed elsewhere', async () => {
      const [here, there] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
      const words = ['Quiet-harbour-27', 'Loud-harbour-over-28']
      const change = async () => {
        const [orgPwd = '', newPwd = ''] = words
        const { statusCode } = await sendForm(here, '/api/m18s/password', { orgPwd, newPwd })
        if (statusCode < 300) words.reverse()
      }
      expect(await closesBy(there, change)).toBe(4401)
    })

    test('by a refresh token that is used twice', async () => {
      const there = await server.signIn('user@alpha')
      const renew = (refresh_token: string) =>
        grant(server.fastify, { grant_type: 'refresh_token', refresh_token }, { 'x-token-store': 'body' })
      const { refresh_token: second } = (await renew(there.refresh)).json()
      const { access_token: access } = (await renew(second)).json()
      expect(await closesBy({ ...there, access }, () => renew(there.refresh))).toBe(4401)
    })

    test('by an admin who disables their user', async () => {
      const [admin, there] = [await server.signIn('admin@alpha'), await server.signIn('user@alpha')]
      const url = `/api/users/disable/${there.userId}`
      expect(await closesBy(there, () => admin.send({ method: 'POST', url }))).toBe(4401)
    })
  })
})

describe('a device in words', () => {
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
  ])('of %s', (userAgent, said) => {
    const { browser, system, form } = deviceWords(userAgent)
    expect([browser, system, form]).toEqual(said)
  })

  test.each([
    ['203.0.113.77', '203.0.113.*'],
    ['::ffff:203.0.113.77', '203.0.113.*'],
    ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3::*'],
    ['2001:db8::1', '2001:db8::*'],
    ['::1', '::*'],
  ])('its network without the last part: %s', (address, network) => expect(networkOf(address)).toBe(network))
})
