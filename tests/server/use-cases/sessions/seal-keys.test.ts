/** Tests the sealing key of each session: who receives it, and for how long (protocol 30). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { passPasswordStep, sendSecondStep, addAuthenticatorApp, addPasskey } from '#tests/support/server/factors.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { calculateCode } from '#tests/support/server/otp.ts'
import { system } from '#tests/support/server/people.ts'
import { requestToken, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

interface SealKey {
  id: number
  key: string
}
interface UserResponse {
  seal_key: string | null
  session_seal_key: SealKey | null
  seal_keys: SealKey[]
}
type Sender = Pick<SignedIn, 'send'>

const url = '/api/m18s/user'
const dayMs = 86_400_000

eachEngineByNight('sealing keys', (engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const readUser = async ({ send }: Sender, query = ''): Promise<UserResponse> =>
    (await send({ url: url + query })).json()
  async function readSessionKey(person: Sender): Promise<SealKey> {
    const { session_seal_key: key } = await readUser(person)
    if (!key) throw new Error('no key')
    return key
  }
  const deleteSealKeys = ({ send }: Sender, ids: string) =>
    send({ method: 'DELETE', url: `${url}/seal-keys?ids=${ids}` })
  const logOut = ({ send }: Sender) => send({ method: 'POST', url: '/api/m18s/logout' })
  const createBearerSender = (access_token: string): Sender => ({
    send: (options) => server.send({ ...options, headers: { authorization: `Bearer ${access_token}` } }),
  })
  async function createEndedSessionKey(userName: string): Promise<SealKey> {
    const person = await server.signIn(userName)
    const key = await readSessionKey(person)
    await logOut(person)
    return key
  }

  test('Each session has its own key with an id, and keeps it when it is renewed', async () => {
    const [session, otherSession] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    const keys = [await readSessionKey(session), await readSessionKey(otherSession)]
    for (const { id, key } of keys) {
      expect(id).toBeGreaterThan(0)
      expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    }
    const accountKey = (await readUser(session)).seal_key
    expect(new Set([...keys.map(({ key }) => key), accountKey]).size).toBe(3)
    expect(new Set(keys.map(({ id }) => id)).size).toBe(2)
    expect((await readUser(session)).seal_keys).toEqual([])

    const renewal = await requestToken(
      server.fastify,
      { grant_type: 'refresh_token', refresh_token: session.refresh },
      { 'x-token-store': 'body' },
    )
    expect(await readSessionKey(createBearerSender(renewal.json().access_token))).toEqual(keys[0])
  })

  test('A session with a second factor has a key too', async () => {
    const codes = await addAuthenticatorApp(await server.signIn('user@alpha'), server.clock.now)
    const passkey = await addPasskey(await server.signIn('admin@alpha'))
    server.clock.now += 30_000
    const otp = calculateCode(codes.secret, server.clock.now)
    const codeResponse = await sendSecondStep(server, (await passPasswordStep(server, 'user@alpha')).mfa_token, { otp })
    const passwordStep = await passPasswordStep(server, 'admin@alpha')
    const assertion = passkey.sign(passwordStep.passkey?.challenge ?? '')
    const passkeyResponse = await sendSecondStep(server, passwordStep.mfa_token, { assertion })
    for (const response of [codeResponse, passkeyResponse])
      expect((await readSessionKey(createBearerSender(response.json().access_token))).id).toBeGreaterThan(0)
  })

  test('A session without a key of its own uses the account key, with id 0', async () => {
    const user = await server.signIn('user@alpha')
    await runInTransaction(server.app, system, (db) => db.deleteFrom('seal_key').execute())
    const {
      seal_key: accountKey,
      session_seal_key: sessionKey,
      seal_keys: requestedKeys,
    } = await readUser(user, '?seals=0')
    expect(sessionKey).toEqual({ id: 0, key: accountKey })
    expect(requestedKeys).toEqual([sessionKey])
  })

  test('An older key is returned only to its owner and by its id', async () => {
    const olderKey = await createEndedSessionKey('user@alpha')
    const user = await server.signIn('user@alpha')
    expect((await readUser(user)).seal_keys).toEqual([])
    expect((await readUser(user, `?seals=${olderKey.id},999999999999999,0`)).seal_keys).toEqual([
      { id: 0, key: (await readUser(user)).seal_key },
      olderKey,
    ])
    const { id: otherUserKeyId } = await readSessionKey(await server.signIn('admin@alpha'))
    expect((await readUser(user, `?seals=${otherUserKeyId}`)).seal_keys).toEqual([])
    for (const userName of ['admin@alpha', 'order@alpha', 'admin@beta', 'admin@m18']) {
      const response = await (await server.signIn(userName)).send({ url: `${url}?seals=${olderKey.id}` })
      expect([userName, response.statusCode, response.json().seal_keys]).toEqual([userName, 200, []])
      expect(response.body).not.toContain(olderKey.key)
    }
    const admin = await server.signIn('admin@alpha')
    expect(await readUser(admin, `?userId=${user.userId}&seals=${olderKey.id},0`)).toMatchObject({
      id: user.userId,
      seal_key: null,
      session_seal_key: null,
      seal_keys: [],
    })
  })

  test('Invalid ids, or more than fifty, are rejected', async () => {
    const user = await server.signIn('user@alpha')
    const buildIdList = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join(',')
    const invalidIdLists = [
      ',',
      '1,',
      ',1',
      '1,,2',
      '-1',
      '1.5',
      '1e3',
      '01',
      'x',
      '1;2',
      '1%20',
      '1%20or%201',
      '9'.repeat(16),
    ]
    for (const ids of [...invalidIdLists, buildIdList(51)]) {
      expect([ids, (await user.send({ url: `${url}?seals=${ids}` })).statusCode]).toEqual([ids, 400])
      expect([ids, (await deleteSealKeys(user, ids)).statusCode]).toEqual([ids, 400])
    }
    expect((await deleteSealKeys(user, '')).statusCode).toBe(400)
    expect((await user.send({ url: `${url}?seals=${buildIdList(50)}` })).statusCode).toBe(200)
  })

  test('The key of an opened seal is deleted, and a repeated deletion does no harm', async () => {
    const [openedKey, sealedKey] = [
      await createEndedSessionKey('user@alpha'),
      await createEndedSessionKey('user@alpha'),
    ]
    const user = await server.signIn('user@alpha')
    for (const _ of ['told', 'told again']) {
      expect((await deleteSealKeys(user, `${openedKey.id},0`)).statusCode).toBe(204)
      const { seal_keys: remainingKeys } = await readUser(user, `?seals=${openedKey.id},${sealedKey.id},0`)
      expect(remainingKeys.map(({ id }) => id)).toEqual([0, sealedKey.id])
    }
  })

  test('The key of an active session or of another user cannot be deleted', async () => {
    const [user, tablet] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    const [ownKey, tabletKey] = [await readSessionKey(user), await readSessionKey(tablet)]
    const formerKey = await createEndedSessionKey('order@alpha')
    expect((await deleteSealKeys(user, `${ownKey.id},${tabletKey.id},${formerKey.id}`)).statusCode).toBe(204)
    expect([await readSessionKey(user), await readSessionKey(tablet)]).toEqual([ownKey, tabletKey])
    const otherUser = await server.signIn('order@alpha')
    expect((await readUser(otherUser, `?seals=${formerKey.id}`)).seal_keys).toEqual([formerKey])
    await logOut(tablet)
    await deleteSealKeys(user, String(tabletKey.id))
    expect((await readUser(user, `?seals=${tabletKey.id}`)).seal_keys).toEqual([])
    expect(readStatusAndCode(await server.send({ method: 'DELETE', url: `${url}/seal-keys?ids=1` }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })

  test('An unused key is deleted after 400 days', async () => {
    const olderKey = await createEndedSessionKey('user@alpha')
    const readOlderKey = async () =>
      (await readUser(await server.signIn('user@alpha'), `?seals=${olderKey.id}`)).seal_keys
    server.clock.now += 400 * dayMs
    await deleteExpiredData(server.app)
    expect(await readOlderKey()).toEqual([olderKey])
    server.clock.now += 1
    expect((await deleteExpiredData(server.app))['sealKeys']).toBe(1)
    expect(await readOlderKey()).toEqual([])
    expect((await readUser(await server.signIn('user@alpha'), '?seals=0')).seal_keys).toHaveLength(1)
  })

  test('No key appears in the log or the audit trail', async () => {
    const olderKey = await createEndedSessionKey('user@alpha')
    const user = await server.signIn('user@alpha')
    const { seal_key: accountKey } = await readUser(user, `?seals=${olderKey.id}`)
    await deleteSealKeys(user, String(olderKey.id))
    const { rows: trail } = await runInTransaction(server.app, system, (db) =>
      sql`select * from audit_entry`.execute(db),
    )
    const texts = [server.readLog(), JSON.stringify(trail)]
    for (const key of [olderKey.key, (await readSessionKey(user)).key, accountKey ?? ''])
      expect(texts.filter((text) => text.includes(key))).toEqual([])
  })
})
