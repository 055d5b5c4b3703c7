/** A sealing key for each session: who is given which, and until when (protocol 30). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { passwordStep, secondStep, withApp, withPasskey } from '#tests/support/server/factors.ts'
import { told } from '#tests/support/server/forms.ts'
import { codeAt } from '#tests/support/server/otp.ts'
import { system } from '#tests/support/server/people.ts'
import { grant, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

interface SealKey {
  id: number
  key: string
}
interface Said {
  seal_key: string | null
  session_seal_key: SealKey | null
  seal_keys: SealKey[]
}
type Person = Pick<SignedIn, 'send'>

const url = '/api/m18s/user'
const day = 86_400_000

eachEngineByNight('sealing keys', (engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const said = async ({ send }: Person, query = ''): Promise<Said> => (await send({ url: url + query })).json()
  async function newest(person: Person): Promise<SealKey> {
    const { session_seal_key: key } = await said(person)
    if (!key) throw new Error('no key')
    return key
  }
  const forget = ({ send }: Person, ids: string) => send({ method: 'DELETE', url: `${url}/seal-keys?ids=${ids}` })
  const logOut = ({ send }: Person) => send({ method: 'POST', url: '/api/m18s/logout' })
  const bearer = (access_token: string): Person => ({
    send: (options) => server.send({ ...options, headers: { authorization: `Bearer ${access_token}` } }),
  })
  /** A session that has ended, and its key. */
  async function formerKey(who: string): Promise<SealKey> {
    const person = await server.signIn(who)
    const key = await newest(person)
    await logOut(person)
    return key
  }

  test('each session has its own, with an id, and keeps it while it is renewed', async () => {
    const [one, other] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    const keys = [await newest(one), await newest(other)]
    for (const { id, key } of keys) {
      expect(id).toBeGreaterThan(0)
      expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    }
    const account = (await said(one)).seal_key
    expect(new Set([...keys.map(({ key }) => key), account]).size).toBe(3)
    expect(new Set(keys.map(({ id }) => id)).size).toBe(2)
    expect((await said(one)).seal_keys).toEqual([])

    const renewed = await grant(
      server.fastify,
      { grant_type: 'refresh_token', refresh_token: one.refresh },
      { 'x-token-store': 'body' },
    )
    expect(await newest(bearer(renewed.json().access_token))).toEqual(keys[0])
  })

  test('a session that began with a second factor has one as well', async () => {
    const codes = await withApp(await server.signIn('user@alpha'), server.clock.now)
    const passkey = await withPasskey(await server.signIn('admin@alpha'))
    server.clock.now += 30_000
    const otp = codeAt(codes.secret, server.clock.now)
    const byCode = await secondStep(server, (await passwordStep(server, 'user@alpha')).mfa_token, { otp })
    const step = await passwordStep(server, 'admin@alpha')
    const assertion = passkey.signed(step.passkey?.challenge ?? '')
    const byPasskey = await secondStep(server, step.mfa_token, { assertion })
    for (const answer of [byCode, byPasskey])
      expect((await newest(bearer(answer.json().access_token))).id).toBeGreaterThan(0)
  })

  test('a session that began before there were any has the account’s first, which is key 0', async () => {
    const user = await server.signIn('user@alpha')
    await inTransaction(server.app, system, (db) => db.deleteFrom('seal_key').execute())
    const { seal_key: first, session_seal_key: own, seal_keys: asked } = await said(user, '?seals=0')
    expect(own).toEqual({ id: 0, key: first })
    expect(asked).toEqual([own])
  })

  test('an older one comes to its owner alone, and by its id alone', async () => {
    const older = await formerKey('user@alpha')
    const user = await server.signIn('user@alpha')
    expect((await said(user)).seal_keys).toEqual([])
    expect((await said(user, `?seals=${older.id},999999999999999,0`)).seal_keys).toEqual([
      { id: 0, key: (await said(user)).seal_key },
      older,
    ])
    const { id: theirs } = await newest(await server.signIn('admin@alpha'))
    expect((await said(user, `?seals=${theirs}`)).seal_keys).toEqual([])
    for (const who of ['admin@alpha', 'order@alpha', 'admin@beta', 'admin@m18']) {
      const answer = await (await server.signIn(who)).send({ url: `${url}?seals=${older.id}` })
      expect([who, answer.statusCode, answer.json().seal_keys]).toEqual([who, 200, []])
      expect(answer.body).not.toContain(older.key)
    }
    const admin = await server.signIn('admin@alpha')
    expect(await said(admin, `?userId=${user.userId}&seals=${older.id},0`)).toMatchObject({
      id: user.userId,
      seal_key: null,
      session_seal_key: null,
      seal_keys: [],
    })
  })

  test('ids that are no whole numbers, or more than fifty, are refused', async () => {
    const user = await server.signIn('user@alpha')
    const many = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(',')
    const bad = [',', '1,', ',1', '1,,2', '-1', '1.5', '1e3', '01', 'x', '1;2', '1%20', '1%20or%201', '9'.repeat(16)]
    for (const ids of [...bad, many(51)]) {
      expect([ids, (await user.send({ url: `${url}?seals=${ids}` })).statusCode]).toEqual([ids, 400])
      expect([ids, (await forget(user, ids)).statusCode]).toEqual([ids, 400])
    }
    expect((await forget(user, '')).statusCode).toBe(400)
    expect((await user.send({ url: `${url}?seals=${many(50)}` })).statusCode).toBe(200)
  })

  test('one whose seal was opened is deleted, and to say so again does no harm', async () => {
    const [opened, sealed] = [await formerKey('user@alpha'), await formerKey('user@alpha')]
    const user = await server.signIn('user@alpha')
    for (const _ of ['told', 'told again']) {
      expect((await forget(user, `${opened.id},0`)).statusCode).toBe(204)
      const { seal_keys: left } = await said(user, `?seals=${opened.id},${sealed.id},0`)
      expect(left.map(({ id }) => id)).toEqual([0, sealed.id])
    }
  })

  test('that of a session that stands is deleted by nobody, nor one of another user', async () => {
    const [user, tablet] = [await server.signIn('user@alpha'), await server.signIn('user@alpha')]
    const [own, theirs] = [await newest(user), await newest(tablet)]
    const former = await formerKey('order@alpha')
    expect((await forget(user, `${own.id},${theirs.id},${former.id}`)).statusCode).toBe(204)
    expect([await newest(user), await newest(tablet)]).toEqual([own, theirs])
    const order = await server.signIn('order@alpha')
    expect((await said(order, `?seals=${former.id}`)).seal_keys).toEqual([former])
    // Now it is over.
    await logOut(tablet)
    await forget(user, String(theirs.id))
    expect((await said(user, `?seals=${theirs.id}`)).seal_keys).toEqual([])
    expect(told(await server.send({ method: 'DELETE', url: `${url}/seal-keys?ids=1` }))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('one that nobody asks for goes after 400 days', async () => {
    const older = await formerKey('user@alpha')
    const asked = async () => (await said(await server.signIn('user@alpha'), `?seals=${older.id}`)).seal_keys
    server.clock.now += 400 * day
    await sweep(server.app)
    expect(await asked()).toEqual([older])
    server.clock.now += 1
    expect((await sweep(server.app))['sealKeys']).toBe(1)
    expect(await asked()).toEqual([])
    expect((await said(await server.signIn('user@alpha'), '?seals=0')).seal_keys).toHaveLength(1)
  })

  test('none stands in the log or in the audit trail', async () => {
    const older = await formerKey('user@alpha')
    const user = await server.signIn('user@alpha')
    const { seal_key: first } = await said(user, `?seals=${older.id}`)
    await forget(user, String(older.id))
    const { rows: trail } = await inTransaction(server.app, system, (db) => sql`select * from audit_entry`.execute(db))
    const texts = [server.logged(), JSON.stringify(trail)]
    for (const key of [older.key, (await newest(user)).key, first ?? ''])
      expect(texts.filter((text) => text.includes(key))).toEqual([])
  })
})
