import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { newPassword, type Form, postForm, readStatusAndCode } from '#tests/support/server/forms.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

onConnections('a forgotten password', (engine) => {
  let server: TestServer
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const post = (url: string, form: Form) => postForm(server.send, url, form)
  const requestResetMail = (companyCode: string, userEmail: string) =>
    post('/public/password/resetmail', { companyCode, userEmail })
  const resetPassword = (otk: string, pwd = newPassword) => post('/public/password/reset', { otk, pwd })
  const requestResetKey = async (userName: string) => {
    const [role, company] = userName.split('@')
    await requestResetMail(` ${company?.toUpperCase()} `, ` ${role}@${company}.EXAMPLE `)
    return (await mailBox.fetch()).map(readKey).find(Boolean) ?? ''
  }

  test('A reset by mail ends all sessions, signs nobody in and notifies the owner (S-38)', async () => {
    const earlierSession = await server.signIn('user@alpha')
    const otk = await requestResetKey('user@alpha')
    const response = await resetPassword(otk)
    expect([response.statusCode, response.json(), response.headers['set-cookie']]).toEqual([
      200,
      { code: 'OK' },
      undefined,
    ])
    expect((await earlierSession.send({ url: '/api/m18s/user' })).json().errorCode).toBe('UNAUTHORIZED')
    await expect(server.signIn('user@alpha', password)).rejects.toThrow('invalid_grant')
    await server.signIn('user@alpha', newPassword)
    const [notice] = await mailBox.fetch()
    expect([notice?.to.address, notice?.subject]).toEqual([
      'user@alpha.example',
      'Your password was changed · Service portal',
    ])
    expect(readKey(notice ?? { text: '' })).toBe('')
  })

  test('A change with the current password notifies the owner too (S-38)', async () => {
    const user = await server.signIn('user@alpha')
    const payload = { orgPwd: password, newPwd: newPassword }
    expect((await user.send({ method: 'POST', url: '/api/m18s/password', payload })).statusCode).toBe(204)
    expect((await mailBox.fetch()).map(({ to }) => to.address)).toEqual(['user@alpha.example'])
  })

  test('The response is the same for every account, and only enabled accounts get a mail (S-32)', async () => {
    const accounts = [
      ['alpha', 'user@alpha.example'],
      ['alpha', 'waiting@alpha.example'],
      ['alpha', 'nobody@alpha.example'],
      ['nowhere', 'user@alpha.example'],
      ['alpha', 'disabled@alpha.example'],
      ['alpha', 'deleted@alpha.example'],
    ] as const
    for (const [code, email] of accounts) {
      const { statusCode, body } = await requestResetMail(code, email)
      expect([email, statusCode, body]).toEqual([email, 204, ''])
    }
    const mailedAddresses = (await mailBox.fetch()).map(({ to }) => to.address)
    expect(mailedAddresses.toSorted()).toEqual(['user@alpha.example', 'waiting@alpha.example'])
  })

  test('The limit of three mails an hour is the same for addresses with and without an account (S-40)', async () => {
    for (const email of ['user@alpha.example', 'nobody@alpha.example']) {
      for (let index = 0; index < 3; index++) expect((await requestResetMail('alpha', email)).statusCode).toBe(204)
      expect(readStatusAndCode(await requestResetMail('alpha', email.toUpperCase()))).toEqual([429, 'RATE_LIMITED'])
    }
  })

  test('A link works once, for one hour, and until a newer mail is sent (S-35, D75)', async () => {
    const first = await requestResetKey('user@alpha')
    const second = await requestResetKey('user@alpha')
    expect(readStatusAndCode(await resetPassword(first))).toEqual([400, 'INVALID_RESETPWD_LINK'])
    const responses = await Promise.all([resetPassword(second), resetPassword(second), resetPassword(second)])
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect((await resetPassword(second)).json().errorMessage).toBe('Password reset link is invalid or overdue.')
    const third = await requestResetKey('user@alpha')
    server.clock.now += 3_600_000
    expect(readStatusAndCode(await resetPassword(third))).toEqual([400, 'INVALID_RESETPWD_LINK'])
    expect(readStatusAndCode(await resetPassword('no-such-key'))).toEqual([400, 'INVALID_RESETPWD_LINK'])
  })

  test('A weak password does not use up the link (S-27, S-28)', async () => {
    const otk = await requestResetKey('user@alpha')
    expect(readStatusAndCode(await resetPassword(otk, 'password1!'))).toEqual([400, 'WEAK_PASSWORD'])
    expect((await resetPassword(otk, 'Sh0rt-7')).json().data).toMatchObject([{ field: 'pwd', code: 'TOO_SHORT' }])
    expect((await resetPassword(otk)).statusCode).toBe(200)
  })

  test('A link works for its own purpose only, and stops working when the account is disabled', async () => {
    const otk = await requestResetKey('waiting@alpha')
    expect(readStatusAndCode(await post('/public/users/activate', { otk }))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect((await resetPassword(otk)).statusCode).toBe(200)
    await expect(server.signIn('waiting@alpha', newPassword)).rejects.toThrow('USER_STATUS_DEACTIVATED')
    const lateKey = await requestResetKey('user@alpha')
    const admin = await server.signIn('admin@alpha')
    await admin.send({ method: 'POST', url: `/api/users/disable/${server.world.users['user@alpha']}` })
    expect(readStatusAndCode(await resetPassword(lateKey))).toEqual([400, 'INVALID_RESETPWD_LINK'])
  })

  test('A reset unlocks an account that was locked by guesses of a stranger (S-30)', async () => {
    for (let index = 0; index < 6; index++) await server.signIn('user@alpha', 'Not-the-one-44').catch(() => undefined)
    await expect(server.signIn('user@alpha', password)).rejects.toThrow('RATE_LIMITED')
    await resetPassword(await requestResetKey('user@alpha'))
    await server.signIn('user@alpha', newPassword)
  })

  test('A retried mail has the same link, and is dropped after a newer mail (R-29)', async () => {
    await requestResetMail('alpha', 'user@alpha.example')
    const mailJob = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('job').selectAll().executeTakeFirstOrThrow(),
    )
    const row = { ...mailJob, input: JSON.stringify(mailJob.input), point: null }
    const repeatMailJob = () =>
      runInTransaction(server.app, { role: 'portal_system' }, (db) => db.insertInto('job').values(row).execute())
    const [first] = await mailBox.fetch()
    await repeatMailJob()
    const [second] = await mailBox.fetch()
    expect(readKey(second ?? { text: '' })).toBe(readKey(first ?? { text: '' }))
    expect(second?.id).toBe(first?.id)
    await requestResetKey('user@alpha')
    await repeatMailJob()
    expect(await mailBox.fetch()).toEqual([])
  })
})
