import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import {
  passPasswordStep,
  post,
  proveIdentity,
  sendSecondStep,
  addAuthenticatorApp,
  addPasskey,
} from '#tests/support/server/factors.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const readOutcome = (response: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  response.statusCode < 300 ? response.statusCode : [response.statusCode, response.json().errorCode]
const resetFactors = async (caller: SignedIn, id: number | undefined, token?: string) =>
  readOutcome(
    await caller.send({
      method: 'POST',
      url: `/api/m18s/user/${id}/mfa/reset`,
      payload: { mfa_token: token ?? (await proveIdentity(caller)) },
    }),
  )
const countFactors = async (caller: SignedIn, id: number) =>
  (await caller.send({ url: `/api/m18s/user/${id}/mfa` })).json()
const isSignedIn = async (caller: SignedIn) => (await caller.send({ url: '/api/m18s/user' })).statusCode === 200

describe('an admin who resets the second factor of a colleague', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())
  const mailBox = createMailBox(() => server.app)
  const readTrail = () =>
    runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'reset').execute(),
    )

  test('sees that the company requires a second factor (fault 31b)', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect(await countFactors(admin, user.userId)).toEqual({ factors: 0, required: null })
    const payload = { mfa_token: await proveIdentity(admin), required: true }
    expect(readOutcome(await admin.send({ method: 'PUT', url: '/api/m18s/mfa/company', payload }))).toBeLessThan(300)
    expect(await countFactors(admin, user.userId)).toEqual({ factors: 0, required: 'company' })
  })

  test('deletes all factors and codes, ends all sessions, and causes a mail and an audit entry', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    const { codes } = await addAuthenticatorApp(user, server.clock.now)
    await addPasskey(user)
    const passwordStep = await passPasswordStep(server, 'user@alpha')
    await mailBox.fetch()
    expect(await countFactors(admin, user.userId)).toEqual({ factors: 2, required: null })
    expect(await resetFactors(admin, user.userId)).toBe(204)

    expect(await countFactors(admin, user.userId)).toEqual({ factors: 0, required: null })
    expect([await isSignedIn(user), await isSignedIn(admin)]).toEqual([false, true])
    const staleResponse = await sendSecondStep(server, passwordStep.mfa_token, { recovery_code: codes[0] ?? '' })
    expect(readOutcome(staleResponse)).toEqual([401, 'MFA_INVALID'])
    const newSession = await server.signIn('user@alpha')
    expect((await newSession.send({ url: '/api/m18s/mfa' })).json()).toMatchObject({ factors: [], recovery_codes: 0 })
    const [mail, ...otherMails] = await mailBox.fetch()
    expect(otherMails).toEqual([])
    expect([mail?.to.address, mail?.subject]).toEqual([
      'user@alpha.example',
      expect.stringContaining('Your two-step login was reset'),
    ])
    const [note] = await readTrail()
    expect(note).toMatchObject({ code: 'user', exec_user_id: admin.userId, company_id: server.world.companies.alpha })
    expect(note?.info).toMatchObject({ UserId: user.userId, Field: 'second factor' })
  })

  test('makes the colleague set up a required factor again at the next sign-in', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await addAuthenticatorApp(user, server.clock.now)
    await admin.send({
      method: 'PUT',
      url: '/api/m18s/mfa/company',
      payload: { mfa_token: await proveIdentity(admin), required: true },
    })
    expect((await passPasswordStep(server, 'user@alpha')).enrol).toBe(false)
    expect(await resetFactors(admin, user.userId)).toBe(204)
    expect((await passPasswordStep(server, 'user@alpha')).enrol).toBe(true)
  })

  test('changes nothing and sends no mail if there is no factor', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await mailBox.fetch()
    expect(await resetFactors(admin, user.userId)).toBe(204)
    expect([await isSignedIn(user), await mailBox.fetch(), await readTrail()]).toEqual([true, [], []])
  })

  test('must have proved their identity in the same session', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    await addAuthenticatorApp(user, server.clock.now)
    const { mfa_token } = (await post(admin, 'begin')).json()
    const otherSessionToken = await proveIdentity(await server.signIn('admin@alpha'))
    for (const token of ['x', mfa_token, otherSessionToken])
      expect(await resetFactors(admin, user.userId, token)).toEqual([401, 'MFA_EXPIRED'])
    expect(await countFactors(admin, user.userId)).toEqual({ factors: 1, required: null })
  })

  test('must be an admin of the same company, and cannot reset their own factors (Z-10, S-53)', async () => {
    const user = await server.signIn('user@alpha')
    await addAuthenticatorApp(user, server.clock.now)
    const plainUser = await server.signIn('order@alpha')
    expect(await resetFactors(plainUser, user.userId, 'x')).toEqual([403, 'FORBIDDEN'])
    for (const userName of ['admin@beta', 'admin@m18']) {
      const foreignAdmin = await server.signIn(userName)
      expect(await resetFactors(foreignAdmin, user.userId)).toEqual([404, 'USER_NOT_EXIST'])
      expect(readOutcome(await foreignAdmin.send({ url: `/api/m18s/user/${user.userId}/mfa` }))).toEqual([
        404,
        'USER_NOT_EXIST',
      ])
    }
    const admin = await server.signIn('admin@alpha')
    expect(await resetFactors(admin, admin.userId)).toEqual([409, 'SELF_FORBIDDEN'])
    expect(await countFactors(admin, user.userId)).toEqual({ factors: 1, required: null })
  })
})
