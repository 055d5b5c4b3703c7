import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { passwordStep, post, proven, secondStep, withApp, withPasskey } from '#tests/support/server/factors.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const said = (answer: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  answer.statusCode < 300 ? answer.statusCode : [answer.statusCode, answer.json().errorCode]
const reset = async (by: SignedIn, id: number | undefined, token?: string) =>
  said(
    await by.send({
      method: 'POST',
      url: `/api/m18s/user/${id}/mfa/reset`,
      payload: { mfa_token: token ?? (await proven(by)) },
    }),
  )
const has = async (by: SignedIn, id: number) => (await by.send({ url: `/api/m18s/user/${id}/mfa` })).json()
const isIn = async (who: SignedIn) => (await who.send({ url: '/api/m18s/user' })).statusCode === 200

describe('an admin who resets the second factor of a colleague', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())
  const box = mailBox(() => server.app)
  const trail = () =>
    inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'reset').execute(),
    )

  test('fault 31b is told that the company requires a second factor, so that the password alone logs nobody in', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect(await has(admin, user.userId)).toEqual({ factors: 0, required: null })
    const payload = { mfa_token: await proven(admin), required: true }
    expect(said(await admin.send({ method: 'PUT', url: '/api/m18s/mfa/company', payload }))).toBeLessThan(300)
    expect(await has(admin, user.userId)).toEqual({ factors: 0, required: 'company' })
  })

  test('takes every factor and code away and ends all sessions; the colleague is told, the trail says who it was', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    const { codes } = await withApp(user, server.clock.now)
    await withPasskey(user)
    const begun = await passwordStep(server, 'user@alpha')
    await box.fetch()
    expect(await has(admin, user.userId)).toEqual({ factors: 2, required: null })
    expect(await reset(admin, user.userId)).toBe(204)

    expect(await has(admin, user.userId)).toEqual({ factors: 0, required: null })
    expect([await isIn(user), await isIn(admin)]).toEqual([false, true])
    const stale = await secondStep(server, begun.mfa_token, { recovery_code: codes[0] ?? '' })
    expect(said(stale)).toEqual([401, 'MFA_INVALID'])
    const again = await server.signIn('user@alpha')
    expect((await again.send({ url: '/api/m18s/mfa' })).json()).toMatchObject({ factors: [], recovery_codes: 0 })
    const [mail, ...more] = await box.fetch()
    expect(more).toEqual([])
    expect([mail?.to.address, mail?.subject]).toEqual([
      'user@alpha.example',
      expect.stringContaining('Your two-step login was reset'),
    ])
    const [note] = await trail()
    expect(note).toMatchObject({ code: 'user', exec_user_id: admin.userId, company_id: server.world.companies.alpha })
    expect(note?.info).toMatchObject({ UserId: user.userId, Field: 'second factor' })
  })

  test('who must have one is asked at the next sign-in to set it up again', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await withApp(user, server.clock.now)
    await admin.send({
      method: 'PUT',
      url: '/api/m18s/mfa/company',
      payload: { mfa_token: await proven(admin), required: true },
    })
    expect((await passwordStep(server, 'user@alpha')).enrol).toBe(false)
    expect(await reset(admin, user.userId)).toBe(204)
    expect((await passwordStep(server, 'user@alpha')).enrol).toBe(true)
  })

  test('repeated, or where there is none, changes nothing and tells nobody', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await box.fetch()
    expect(await reset(admin, user.userId)).toBe(204)
    expect([await isIn(user), await box.fetch(), await trail()]).toEqual([true, [], []])
  })

  test('has proved who they are just before, in this very session', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await withApp(user, server.clock.now)
    const { mfa_token } = (await post(admin, 'begin')).json()
    const elsewhere = await proven(await server.signIn('admin@alpha'))
    for (const token of ['x', mfa_token, elsewhere])
      expect(await reset(admin, user.userId, token)).toEqual([401, 'MFA_EXPIRED'])
    expect(await has(admin, user.userId)).toEqual({ factors: 1, required: null })
  })

  test('is an admin of the same company: not the provider, not a user, and nobody for themselves (Z-10, S-53)', async () => {
    const user = await server.signIn('user@alpha')
    await withApp(user, server.clock.now)
    const plain = await server.signIn('order@alpha')
    expect(await reset(plain, user.userId, 'x')).toEqual([403, 'FORBIDDEN'])
    for (const who of ['admin@beta', 'admin@m18']) {
      const foreign = await server.signIn(who)
      expect(await reset(foreign, user.userId)).toEqual([404, 'USER_NOT_EXIST'])
      expect(said(await foreign.send({ url: `/api/m18s/user/${user.userId}/mfa` }))).toEqual([404, 'USER_NOT_EXIST'])
    }
    const admin = await server.signIn('admin@alpha')
    expect(await reset(admin, admin.userId)).toEqual([409, 'SELF_FORBIDDEN'])
    expect(await has(admin, user.userId)).toEqual({ factors: 1, required: null })
  })
})
