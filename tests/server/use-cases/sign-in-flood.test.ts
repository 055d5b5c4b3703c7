/** Strangers keep nobody out: neither by guesses at one account, nor by many at all of them (S-29 to S-33). */
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { addressGroup } from '#server/shares/client-address.ts'
import { withPlace, unknownAsker } from '#server/use-cases/accounts/password-hash.ts'
import { passwordStep, post, secondStep, withApp } from '#tests/support/server/factors.ts'
import { codeAt } from '#tests/support/server/otp.ts'
import { grant, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: '1' } })
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minute = 60_000
const wrong = 'Not-the-one-44'
const browser = { 'sec-fetch-site': 'same-origin' }

const enter = (who: string, given = password, headers: Record<string, string> = {}) =>
  grant(
    server.fastify,
    { grant_type: 'password', username: usernameOf(who), password: given },
    { ...browser, ...headers },
  )
const guess = (who: string, address = '203.0.113.1') => enter(who, wrong, { 'x-forwarded-for': address })
const said = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode

/** Signs in, and answers what its browser sends from then on. */
async function deviceOf(who: string): Promise<{ cookie: string }> {
  const set = [(await enter(who)).headers['set-cookie']].flat().find((one) => one?.startsWith('portal-device='))
  return { cookie: set?.split(';')[0] ?? '' }
}

async function lockOut(who: string): Promise<void> {
  for (let at = 0; at < 5; at++) expect(await said(guess(who))).toBe(401)
  expect(await said(enter(who))).toBe(429)
}

/** As many attempts as are free within ten minutes. */
const countEverybody = (failures: number) =>
  inTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .insertInto('attempt')
      .values({ subject: 'everybody', failures, since: server.clock.now, not_before: 0 })
      .execute(),
  )

describe('a known device', () => {
  test('lets its user in while strangers guess at the account', async () => {
    const own = await deviceOf('user@alpha')
    await lockOut('user@alpha')
    expect(await said(enter('user@alpha', password, own))).toBe(200)
    // The owner's success gives the strangers no new guesses.
    expect(await said(guess('user@alpha'))).toBe(429)
  })

  test('is one of that account: no cookie of another, none that was made up, no client that calls itself the same', async () => {
    const agent = { 'user-agent': 'script/1.0', 'x-token-store': 'body' }
    expect(await said(enter('user@alpha', password, agent))).toBe(200)
    const others = await deviceOf('user@beta')
    await lockOut('user@alpha')
    const forged = { cookie: `portal-device=${'A'.repeat(32)}` }
    for (const headers of [others, forged, agent]) expect(await said(enter('user@alpha', password, headers))).toBe(429)
    // Nor does trying make it one.
    expect(await said(enter('user@alpha', wrong, others))).toBe(429)
    expect(await said(enter('user@beta', password, others))).toBe(200)
  })

  test('has five guesses of its own, whatever address they come from', async () => {
    const own = await deviceOf('user@alpha')
    for (let at = 0; at < 5; at++)
      expect(await said(enter('user@alpha', wrong, { ...own, 'x-forwarded-for': `198.51.100.${at}` }))).toBe(401)
    const sixth = await enter('user@alpha', password, own)
    expect([sixth.statusCode, sixth.headers['retry-after']]).toEqual([429, '30'])
    // They are not the strangers'.
    expect(await said(enter('user@alpha'))).toBe(200)
  })

  test('is not held up by its address', async () => {
    const own = await deviceOf('user@alpha')
    let last = 401
    for (let at = 0; at < 60 && last === 401; at++) last = await said(guess(`nobody${at}@alpha`))
    expect(last).toBe(429)
    const here = { 'x-forwarded-for': '203.0.113.1' }
    expect(await said(enter('user@alpha', password, here))).toBe(429)
    expect(await said(enter('user@alpha', password, { ...own, ...here }))).toBe(200)
  })
})

describe('who is signed in', () => {
  const chosen = 'Slow-river-under-9-bridges'

  test('confirms and changes the password while strangers guess at the account', async () => {
    const user = await server.signIn('user@alpha')
    await lockOut('user@alpha')
    expect(await said(post(user, 'password', { password }))).toBe(204)
    const payload = { orgPwd: password, newPwd: chosen }
    expect(await said(user.send({ method: 'POST', url: '/api/m18s/password', payload }))).toBe(204)
  })

  test('has a second factor that whoever has the password cannot block on a known device', async () => {
    const own = await deviceOf('user@alpha')
    const { secret } = await withApp(await server.signIn('user@alpha'), server.clock.now)
    server.clock.now += minute
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    const otp = codeAt(secret, server.clock.now)
    for (let at = 0; at < 5; at++) await secondStep(server, mfa_token, { otp: '000000' })
    expect(await said(secondStep(server, mfa_token, { otp }))).toBe(429)
    expect(await said(secondStep(server, mfa_token, { otp }, { ...browser, ...own }))).toBe(200)
  })
})

describe('a queue full of strangers', () => {
  test('holds up neither a known device nor who is signed in, refuses unknown ones, and counts no guess', async () => {
    const own = await deviceOf('user@alpha')
    const user = await server.signIn('second@alpha')
    let open = () => {}
    const gate = new Promise<void>((opened) => (open = opened))
    const most = Math.max(2, availableParallelism()) - 1 + 50
    const waiting = Array.from({ length: most }, () => withPlace(unknownAsker, (place) => place.run(() => gate)))
    try {
      for (let at = 0; at < 8; at++) {
        const refused = await enter('user@alpha')
        expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '2'])
      }
      expect(await said(enter('user@alpha', password, own))).toBe(200)
      expect(await said(post(user, 'password', { password }))).toBe(204)
      const payload = { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' }
      expect(await said(user.send({ method: 'POST', url: '/api/m18s/password', payload }))).toBe(204)
    } finally {
      open()
      await Promise.all(waiting)
    }
    expect(await said(enter('user@alpha'))).toBe(200)
  })
})

describe('more attempts than all accounts together have', () => {
  const alarms = () => server.logged().split('"security":"login flood"').length - 1

  test('refuse nobody, and are said once in ten minutes', async () => {
    const before = alarms()
    await countEverybody(1999)
    expect(await said(guess('user@beta'))).toBe(401)
    expect(alarms()).toBe(before)
    for (const address of ['203.0.113.2', '203.0.113.3', '203.0.113.4'])
      expect(await said(guess('user@beta', address))).toBe(401)
    expect(alarms()).toBe(before + 1)
    expect(server.logged()).toContain('"security":"login flood","attempts":2001,"minutes":10')
    expect(await said(enter('user@alpha'))).toBe(200)

    server.clock.now += 10 * minute
    expect(await said(guess('user@beta'))).toBe(401)
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('attempt').set({ failures: 3000 }).where('subject', '=', 'everybody').execute(),
    )
    for (let at = 0; at < 3; at++) expect(await said(guess(`nobody${at}@beta`))).toBe(401)
    expect(alarms()).toBe(before + 2)
  })
})

describe('an address', () => {
  test('that is refused moves no account’s wait', async () => {
    for (let at = 0; at < 5; at++) await guess('user@alpha')
    let last = 401
    for (let at = 0; at < 60 && last === 401; at++) last = await said(guess(`nobody${at}@alpha`, '203.0.113.2'))
    expect(last).toBe(429)
    server.clock.now += 30_000 - 1
    // Waits a second longer than the account.
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('attempt')
        .set({ not_before: server.clock.now + minute })
        .where('subject', '=', 'address 203.0.113.2')
        .execute(),
    )
    server.clock.now += 1
    for (let at = 0; at < 10; at++) expect(await said(guess('user@alpha', '203.0.113.2'))).toBe(429)
    expect(await said(enter('user@alpha', password, { 'x-forwarded-for': '203.0.113.3' }))).toBe(200)
  })

  test('of IPv6 is its network of 64 bits', async () => {
    let last = 401
    for (let at = 0; at < 60 && last === 401; at++)
      last = await said(guess(`nobody${at}@alpha`, `2001:db8:0:7:${at.toString(16)}::1`))
    expect(last).toBe(429)
    expect(await said(guess('other@alpha', '2001:db8:0:8::1'))).toBe(401)
  })

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is counted as %s', (address, group) => expect(addressGroup(address)).toBe(group))

  test.each([
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8:1:2:3:4:5:6]:5678', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
  ])('fault 15l %s, which a proxy wrote with a port, is counted as %s', (address, group) =>
    expect(addressGroup(address)).toBe(group),
  )
})
