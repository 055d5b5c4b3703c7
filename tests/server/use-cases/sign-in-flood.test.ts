/** Tests that anonymous attempts never lock out a user: neither guesses at one account nor many guesses at all accounts (S-29 to S-33). */
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { getAddressGroup } from '#server/shares/client-address.ts'
import { withQueuePosition, unknownCaller } from '#server/use-cases/accounts/password-hash.ts'
import { passPasswordStep, post, sendSecondStep, addAuthenticatorApp } from '#tests/support/server/factors.ts'
import { calculateCode } from '#tests/support/server/otp.ts'
import { requestToken, startServer, type TestServer, buildUsername } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: '1' } })
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minuteMs = 60_000
const wrongPassword = 'Not-the-one-44'
const browserHeaders = { 'sec-fetch-site': 'same-origin' }

const attemptSignIn = (userName: string, givenPassword = password, headers: Record<string, string> = {}) =>
  requestToken(
    server.fastify,
    { grant_type: 'password', username: buildUsername(userName), password: givenPassword },
    { ...browserHeaders, ...headers },
  )
const guessPassword = (userName: string, address = '203.0.113.1') =>
  attemptSignIn(userName, wrongPassword, { 'x-forwarded-for': address })
const readStatus = async (response: Promise<{ statusCode: number }>) => (await response).statusCode

/** Signs in and returns the device cookie that the browser sends from then on. */
async function createKnownDevice(userName: string): Promise<{ cookie: string }> {
  const deviceCookie = [(await attemptSignIn(userName)).headers['set-cookie']]
    .flat()
    .find((cookie) => cookie?.startsWith('portal-device='))
  return { cookie: deviceCookie?.split(';')[0] ?? '' }
}

async function lockOut(userName: string): Promise<void> {
  for (let index = 0; index < 5; index++) expect(await readStatus(guessPassword(userName))).toBe(401)
  expect(await readStatus(attemptSignIn(userName))).toBe(429)
}

/** Sets the number of failed attempts over all accounts in the current ten minutes. */
const countEverybody = (failures: number) =>
  runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .insertInto('attempt')
      .values({ subject: 'everybody', failures, since: server.clock.now, not_before: 0 })
      .execute(),
  )

describe('a known device', () => {
  test('lets its user log in while strangers guess the password', async () => {
    const ownDevice = await createKnownDevice('user@alpha')
    await lockOut('user@alpha')
    expect(await readStatus(attemptSignIn('user@alpha', password, ownDevice))).toBe(200)
    // A successful sign-in of the owner does not reset the limit of strangers.
    expect(await readStatus(guessPassword('user@alpha'))).toBe(429)
  })

  test('is bound to its account by its own cookie', async () => {
    const scriptHeaders = { 'user-agent': 'script/1.0', 'x-token-store': 'body' }
    expect(await readStatus(attemptSignIn('user@alpha', password, scriptHeaders))).toBe(200)
    const otherDevice = await createKnownDevice('user@beta')
    await lockOut('user@alpha')
    const forgedCookie = { cookie: `portal-device=${'A'.repeat(32)}` }
    for (const headers of [otherDevice, forgedCookie, scriptHeaders])
      expect(await readStatus(attemptSignIn('user@alpha', password, headers))).toBe(429)
    // An attempt at another account neither makes the device known there, nor affects its own account.
    expect(await readStatus(attemptSignIn('user@alpha', wrongPassword, otherDevice))).toBe(429)
    expect(await readStatus(attemptSignIn('user@beta', password, otherDevice))).toBe(200)
  })

  test('has five attempts of its own, from any address', async () => {
    const ownDevice = await createKnownDevice('user@alpha')
    for (let index = 0; index < 5; index++)
      expect(
        await readStatus(
          attemptSignIn('user@alpha', wrongPassword, { ...ownDevice, 'x-forwarded-for': `198.51.100.${index}` }),
        ),
      ).toBe(401)
    const sixthResponse = await attemptSignIn('user@alpha', password, ownDevice)
    expect([sixthResponse.statusCode, sixthResponse.headers['retry-after']]).toEqual([429, '30'])
    // The attempts of this device do not reduce the attempts of other devices.
    expect(await readStatus(attemptSignIn('user@alpha'))).toBe(200)
  })

  test('is not blocked by its address', async () => {
    const ownDevice = await createKnownDevice('user@alpha')
    let lastStatus = 401
    for (let index = 0; index < 60 && lastStatus === 401; index++)
      lastStatus = await readStatus(guessPassword(`nobody${index}@alpha`))
    expect(lastStatus).toBe(429)
    const addressHeaders = { 'x-forwarded-for': '203.0.113.1' }
    expect(await readStatus(attemptSignIn('user@alpha', password, addressHeaders))).toBe(429)
    expect(await readStatus(attemptSignIn('user@alpha', password, { ...ownDevice, ...addressHeaders }))).toBe(200)
  })
})

describe('a logged-in user', () => {
  const newPassword = 'Slow-river-under-9-bridges'

  test('can confirm and change the password while strangers guess it', async () => {
    const user = await server.signIn('user@alpha')
    await lockOut('user@alpha')
    expect(await readStatus(post(user, 'password', { password }))).toBe(204)
    const payload = { orgPwd: password, newPwd: newPassword }
    expect(await readStatus(user.send({ method: 'POST', url: '/api/m18s/password', payload }))).toBe(204)
  })

  test('can use the second factor on a known device while somebody who knows the password guesses codes', async () => {
    const ownDevice = await createKnownDevice('user@alpha')
    const { secret } = await addAuthenticatorApp(await server.signIn('user@alpha'), server.clock.now)
    server.clock.now += minuteMs
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    const otp = calculateCode(secret, server.clock.now)
    for (let index = 0; index < 5; index++) await sendSecondStep(server, mfa_token, { otp: '000000' })
    expect(await readStatus(sendSecondStep(server, mfa_token, { otp }))).toBe(429)
    expect(await readStatus(sendSecondStep(server, mfa_token, { otp }, { ...browserHeaders, ...ownDevice }))).toBe(200)
  })
})

describe('a hash queue full of anonymous calls', () => {
  test('accepts known devices and logged-in users, rejects others, and counts no attempt', async () => {
    const ownDevice = await createKnownDevice('user@alpha')
    const user = await server.signIn('second@alpha')
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const maxWaiting = Math.max(2, availableParallelism()) - 1 + 50
    const waitingHashes = Array.from({ length: maxWaiting }, () =>
      withQueuePosition(unknownCaller, (position) => position.run(() => released)),
    )
    try {
      for (let index = 0; index < 8; index++) {
        const refusal = await attemptSignIn('user@alpha')
        expect([refusal.statusCode, refusal.headers['retry-after']]).toEqual([429, '2'])
      }
      expect(await readStatus(attemptSignIn('user@alpha', password, ownDevice))).toBe(200)
      expect(await readStatus(post(user, 'password', { password }))).toBe(204)
      const payload = { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' }
      expect(await readStatus(user.send({ method: 'POST', url: '/api/m18s/password', payload }))).toBe(204)
    } finally {
      release()
      await Promise.all(waitingHashes)
    }
    expect(await readStatus(attemptSignIn('user@alpha'))).toBe(200)
  })
})

describe('an unusual number of attempts over all accounts', () => {
  const countAlarms = () => server.readLog().split('"event":"login_flood"').length - 1

  test('causes no refusal, and is logged once in ten minutes', async () => {
    const alarmsBefore = countAlarms()
    await countEverybody(1999)
    expect(await readStatus(guessPassword('user@beta'))).toBe(401)
    expect(countAlarms()).toBe(alarmsBefore)
    for (const address of ['203.0.113.2', '203.0.113.3', '203.0.113.4'])
      expect(await readStatus(guessPassword('user@beta', address))).toBe(401)
    expect(countAlarms()).toBe(alarmsBefore + 1)
    expect(server.readLog()).toContain('"event":"login_flood","security":true,"attempts":2001,"minutes":10')
    expect(await readStatus(attemptSignIn('user@alpha'))).toBe(200)

    server.clock.now += 10 * minuteMs
    expect(await readStatus(guessPassword('user@beta'))).toBe(401)
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('attempt').set({ failures: 3000 }).where('subject', '=', 'everybody').execute(),
    )
    for (let index = 0; index < 3; index++) expect(await readStatus(guessPassword(`nobody${index}@beta`))).toBe(401)
    expect(countAlarms()).toBe(alarmsBefore + 2)
  })
})

describe('the limit per address', () => {
  test('does not extend the wait of an account when it rejects', async () => {
    for (let index = 0; index < 5; index++) await guessPassword('user@alpha')
    let lastStatus = 401
    for (let index = 0; index < 60 && lastStatus === 401; index++)
      lastStatus = await readStatus(guessPassword(`nobody${index}@alpha`, '203.0.113.2'))
    expect(lastStatus).toBe(429)
    server.clock.now += 30_000 - 1
    // The address is blocked for longer than the account.
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('attempt')
        .set({ not_before: server.clock.now + minuteMs })
        .where('subject', '=', 'address 203.0.113.2')
        .execute(),
    )
    server.clock.now += 1
    for (let index = 0; index < 10; index++)
      expect(await readStatus(guessPassword('user@alpha', '203.0.113.2'))).toBe(429)
    expect(await readStatus(attemptSignIn('user@alpha', password, { 'x-forwarded-for': '203.0.113.3' }))).toBe(200)
  })

  test('counts IPv6 addresses by their /64 network', async () => {
    let lastStatus = 401
    for (let index = 0; index < 60 && lastStatus === 401; index++)
      lastStatus = await readStatus(guessPassword(`nobody${index}@alpha`, `2001:db8:0:7:${index.toString(16)}::1`))
    expect(lastStatus).toBe(429)
    expect(await readStatus(guessPassword('other@alpha', '2001:db8:0:8::1'))).toBe(401)
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
  ])('counts %s as %s', (address, group) => expect(getAddressGroup(address)).toBe(group))

  test.each([
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8:1:2:3:4:5:6]:5678', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
  ])('counts %s, written with a port by a proxy, as %s (fault 15l)', (address, group) =>
    expect(getAddressGroup(address)).toBe(group),
  )
})
