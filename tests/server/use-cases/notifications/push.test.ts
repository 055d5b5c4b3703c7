/** Tests push messages against a push service that verifies the sender and decrypts the message. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertNotification } from '#server/db/notifications/notifications.ts'
import { storePushDevice } from '#server/db/notifications/push-devices.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { ClosedAddressError, isPublicAddress, isPushEndpoint, lookupPublic } from '#server/drivers/push/push-address.ts'
import { createPushDriver } from '#server/drivers/push/push-driver.ts'
import { derivePushKeys } from '#server/drivers/push/push-encryption.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { createPushJobKinds, type JobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { type PushService, startPushService } from '#tests/support/push/push-service.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const path = '/api/m18s/notification/push'

eachEngineByNight('push messages', (engine) => {
  let server: TestServer
  let service: PushService
  let jobKinds: JobKinds
  let user: SignedIn
  beforeAll(async () => {
    server = await startServer({ engine })
    service = await startPushService(() => server.clock.now)
    const connection = { ca: service.certificate }
    jobKinds = createPushJobKinds(createPushDriver({ isAllowed: () => true, connection }))
  })
  afterAll(async () => {
    await service.close()
    await server.close()
  })
  beforeEach(async () => {
    await server.reset()
    service.received.length = 0
    service.responses.length = 0
    user = await server.signIn('user@alpha')
  })

  const register = (caller: SignedIn, fields: object = {}) =>
    caller.send({
      method: 'PUT',
      url: path,
      payload: { endpoint: 'https://push.example.com/1', ...service.browserKeys, ...fields },
    })
  /** Registers the browser, and lets its messages go to the service of the test. */
  async function registerHere(caller: SignedIn, name = '1') {
    expect((await register(caller, { endpoint: `https://push.example.com/${name}` })).statusCode).toBe(204)
    await writeAsSystem(server.app, (db) =>
      db
        .updateTable('push_device')
        .set({ endpoint: `${service.url}/${name}` } as object)
        .where('endpoint', '=', `https://push.example.com/${name}`)
        .execute(),
    )
  }
  const choose = (caller: SignedIn, event: string, on: boolean) =>
    caller.send({
      method: 'PUT',
      url: '/api/m18s/notification/choice',
      payload: { event, channel: 'push', on },
      headers: { 'idempotency-key': `push-${event}-${on}` },
    })
  const notify = (eventKey = 'one', now = server.clock.now) =>
    writeAsSystem(server.app, (db) =>
      insertNotification(
        db,
        user.userId,
        { kind: 'service-down', eventKey, orderId: null, facts: { code: 'alpha1', amount: '9.00' } },
        now,
      ),
    )
  const runAll = async () => {
    while (await runOneJob(server.app, jobKinds));
  }
  const moveDevices = (endpoint: string) =>
    writeAsSystem(server.app, (db) =>
      db
        .updateTable('push_device')
        .set({ endpoint } as object)
        .execute(),
    )
  const findLogLine = (event: string): unknown => {
    const line = server
      .readLog()
      .split('\n')
      .findLast((text) => text.includes(`"event":"${event}"`))
    return JSON.parse(line ?? 'null')
  }
  const listDevices = () =>
    writeAsSystem(server.app, (db) => db.selectFrom('push_device').select(['user_id', 'endpoint']).execute())

  test('A message is encrypted for the browser, signed for the push service, and names no amount', async () => {
    await registerHere(user)
    await notify('before')
    await choose(user, 'service', true)
    await notify()
    await notify()
    await runAll()
    expect(service.received).toMatchObject([
      {
        path: '/1',
        content: {
          to: `${server.world.companies.alpha}:${user.userId}`,
          title: 'Service down: alpha1',
          body: 'Open the portal to see the details.',
          unread: 2,
        },
        headers: { 'content-encoding': 'aes128gcm', ttl: '86400' },
        claims: { aud: service.url },
      },
    ])
    expect(JSON.stringify(service.received[0]?.content)).not.toContain('9.00')
  })

  test('A busy push service gets the message again after the time that it names, and a lost browser is forgotten', async () => {
    await registerHere(user)
    await choose(user, 'service', true)
    await notify()
    service.responses.push({ status: 503, headers: { 'retry-after': '120' } })
    await runAll()
    server.clock.now += 119_000
    await runAll()
    expect(service.received).toHaveLength(1)
    server.clock.now += 2000
    await runAll()
    expect(service.received).toHaveLength(2)
    service.responses.push({ status: 410 })
    await notify('later')
    await runAll()
    expect(await listDevices()).toEqual([])
  })

  test('A browser that is registered again, also several times at once, keeps its id and its waiting messages', async () => {
    const responses = await Promise.all([1, 2, 3, 4].map(() => register(user)))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204, 204])
    await registerHere(user)
    await choose(user, 'service', true)
    await notify()
    service.responses.push({ status: 503 })
    await runAll()
    await writeAsSystem(server.app, async (db) => {
      const { id: _id, ...device } = await db.selectFrom('push_device').selectAll().executeTakeFirstOrThrow()
      await storePushDevice(db, device)
    })
    server.clock.now += 60_000
    await runAll()
    expect(service.received.map(({ path: sentPath }) => sentPath)).toEqual(['/1', '/1'])
  })

  test('A user has at most five browsers, and those that were registered longest ago are replaced', async () => {
    for (const name of [1, 2, 3, 4, 5, 1, 6, 7]) {
      server.clock.now += 1000
      await register(user, { endpoint: `https://push.example.com/${name}` })
    }
    const names = (await listDevices()).map(({ endpoint }) => endpoint.slice(-1))
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual(['1', '4', '5', '6', '7'])
  })

  test('A browser stays if its push service refuses a message, and is forgotten if its address leads nowhere', async () => {
    await registerHere(user)
    await choose(user, 'service', true)
    for (const status of [400, 401, 403, 413]) {
      service.responses.push({ status })
      await notify(`refused ${status}`)
      await runAll()
      expect(findLogLine('push_rejected')).toMatchObject({ status, level: 40 })
    }
    expect(service.received).toHaveLength(4)
    expect(await listDevices()).toHaveLength(1)
    // Nothing listens there.
    await moveDevices('https://localhost:1/')
    await notify('unreachable')
    for (let count = 0; count < 7; count++) {
      expect(await listDevices()).toHaveLength(1)
      await runAll()
      server.clock.now += 6 * 3_600_000
    }
    expect(await listDevices()).toEqual([])
    expect(findLogLine('push_device_deleted')).toMatchObject({ reason: 'unreachable', level: 40 })
    expect(findLogLine('job_failed')).toBeNull()
  })

  test('A browser is forgotten at once if its address leads to a closed network', async () => {
    await registerHere(user)
    await choose(user, 'service', true)
    await notify()
    const connection = { lookup: lookupPublic, ca: service.certificate }
    const guardedKinds = createPushJobKinds(createPushDriver({ isAllowed: () => true, connection }))
    while (await runOneJob(server.app, guardedKinds));
    expect(service.received).toEqual([])
    expect(await listDevices()).toEqual([])
    expect(findLogLine('push_device_deleted')).toMatchObject({ reason: 'closed' })
  })

  test('An address is stored as a URL', async () => {
    expect((await register(user, { endpoint: ' https://PUSH.example.com:443/ä' })).statusCode).toBe(204)
    expect(await listDevices()).toEqual([{ user_id: user.userId, endpoint: 'https://push.example.com/%C3%A4' }])
  })

  test('Nothing is sent after a sign-out, after the notification was read, or to a former user of the browser', async () => {
    await registerHere(user)
    await choose(user, 'service', true)
    await notify()
    await user.send({ method: 'POST', url: '/api/m18s/notification/read', payload: { up_to: 1_000_000 } })
    await runAll()
    await notify('unsent')
    expect((await user.send({ method: 'POST', url: '/api/m18s/logout' })).statusCode).toBeLessThan(300)
    expect(await listDevices()).toEqual([])
    await runAll()
    expect(service.received).toEqual([])

    user = await server.signIn('user@alpha')
    await register(user)
    const other = await server.signIn('user@beta')
    await register(other)
    expect(await listDevices()).toEqual([{ user_id: other.userId, endpoint: 'https://push.example.com/1' }])
    server.clock.now += 30 * 86_400_000
    await deleteExpiredData(server.app)
    expect(await listDevices()).toEqual([])
  })

  test('Addresses of closed networks, broken keys and huge bodies are refused', async () => {
    const hostileFields = [
      { endpoint: 'https://169.254.169.254/latest/meta-data' },
      { endpoint: 'https://[::ffff:169.254.169.254]/' },
      { endpoint: 'https://2852039166/' },
      { endpoint: 'https://localhost/' },
      { endpoint: 'https://[::1]/' },
      { endpoint: 'https://db.internal/' },
      { endpoint: 'https://push.example.com:5432/' },
      { endpoint: 'https://user:secret@push.example.com/' },
      { endpoint: 'http://push.example.com/' },
      { endpoint: 'file:///etc/passwd' },
      { endpoint: `https://push.example.com/${'x'.repeat(1000)}` },
      { endpoint: `https://push.example.com/${'汉'.repeat(900)}` },
      { endpoint: 'push.example.com/1' },
      { endpoint: '' },
      { p256dh: 'AAAA' },
      { p256dh: Buffer.alloc(65, 4).toString('base64url') },
      { auth: 'AAAA' },
      { auth: 7 },
    ]
    for (const fields of hostileFields)
      expect((await register(user, fields)).statusCode, JSON.stringify(fields)).toBe(400)
    expect((await register(user, { auth: 'x'.repeat(10_000_000) })).statusCode).toBe(413)
    expect((await server.send({ method: 'PUT', url: path, payload: {} })).statusCode).toBe(401)
    expect(await listDevices()).toEqual([])
  })
})

test('Only public addresses may be called', async () => {
  const closedAddresses = [
    '10.0.0.1',
    '127.0.0.1',
    '192.168.1.1',
    '192.88.99.1',
    '::1',
    'fd00::1',
    'fe80::1',
    'fec0::1',
  ]
  const otherAddresses = ['::ffff:10.0.0.1', '2001::1', '2001:10::1', '2001:db8::1', '3fff:fff::1', '5f00::1', 'x']
  for (const address of [...closedAddresses, ...otherAddresses])
    expect([address, isPublicAddress(address)]).toEqual([address, false])
  for (const address of ['8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888'])
    expect([address, isPublicAddress(address)]).toEqual([address, true])
  expect(isPushEndpoint('https://fcm.googleapis.com/fcm/send/abc')).toBe(true)
  const keys = derivePushKeys(Buffer.alloc(32))
  const browserKeys = { p256dh: keys.publicKey, auth: Buffer.alloc(16).toString('base64url') }
  const message = { ...browserKeys, text: '{}', topic: 't', keys, contact: 'mailto:a@b.example', now: 0 }
  expect(await createPushDriver().send({ ...message, endpoint: 'https://127.0.0.1/' })).toEqual({ kind: 'closed' })
})

test.each([true, false])('A name leads only to public addresses (all: %s)', async (all) => {
  const resolve = (name: string) =>
    new Promise((done) => lookupPublic(name, { all }, (error, address, family) => done(error ?? { address, family })))
  for (const name of ['localhost', '127.0.0.1', '10.0.0.1', '::1'])
    expect(await resolve(name)).toEqual(new ClosedAddressError('the name leads to no public address'))
  const address = { address: '8.8.8.8', family: 4 }
  expect(await resolve('8.8.8.8')).toEqual(all ? { address: [address], family: undefined } : address)
})
