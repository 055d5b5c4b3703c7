import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SessionRow } from '#contract/sessions.ts'
import { times } from '#server/http/progress.ts'
import { deviceWords, networkOf } from '#server/services/device-words.ts'
import { eachEngine } from '#tests/support/database.ts'
import { grant, type SignedIn, startServer, type TestServer } from '#tests/support/server.ts'

const path = '/api/m18s/sessions'
const minute = 60_000

eachEngine('sessions', (engine) => {
  let server: TestServer
  beforeAll(async () => {
    Object.assign(times, { look: 600_000 })
    server = await startServer({ engine })
    await server.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const listOf = async (who: SignedIn): Promise<SessionRow[]> => (await who.send({ url: path })).json()
  const isIn = async (who: SignedIn) => (await who.send({ url: '/api/m18s/user' })).statusCode === 200
  const renews = async ({ refresh }: SignedIn) =>
    (await grant(server.app, { grant_type: 'refresh_token', refresh_token: refresh })).statusCode === 200
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
    // Known to this process by now, so that the next request begins on that word.
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

  test('their sockets close at once, not at the next look (S-59)', async () => {
    const here = await server.signIn('user@alpha')
    const there = await server.signIn('user@alpha')
    const host = `127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
    const Client = WebSocket as unknown as new (url: string, how: object) => WebSocket
    const socket = new Client(`ws://${host}/api/m18s/progress`, { headers: { origin: `http://${host}` } })
    const closed = new Promise<number>((told) => socket.addEventListener('close', ({ code }) => told(code)))
    await new Promise((opened) => socket.addEventListener('open', opened))
    socket.send(JSON.stringify({ token: there.access }))
    const others = async () => {
      await end(here, path)
      return socket.readyState === socket.CLOSED
    }
    // Once it listens: how soon that is nobody is told.
    await expect.poll(others).toBe(true)
    expect(await closed).toBe(4401)
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
