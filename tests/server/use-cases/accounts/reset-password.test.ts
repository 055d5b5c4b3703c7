import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { chosen, type Form, postForm, told } from '#tests/support/server/forms.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

onConnections('a forgotten password', (engine) => {
  let server: TestServer
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const post = (url: string, form: Form) => postForm(server.send, url, form)
  const forget = (companyCode: string, userEmail: string) =>
    post('/public/password/resetmail', { companyCode, userEmail })
  const reset = (otk: string, pwd = chosen) => post('/public/password/reset', { otk, pwd })
  const linkFor = async (who: string) => {
    const [role, company] = who.split('@')
    await forget(` ${company?.toUpperCase()} `, ` ${role}@${company}.EXAMPLE `)
    return (await box.fetch()).map(keyIn).find(Boolean) ?? ''
  }

  test('is replaced by the link of the mail: all sessions end, nobody is signed in, and the owner is told (S-38)', async () => {
    const before = await server.signIn('user@alpha')
    const otk = await linkFor('user@alpha')
    const answer = await reset(otk)
    expect([answer.statusCode, answer.json(), answer.headers['set-cookie']]).toEqual([200, { code: 'OK' }, undefined])
    expect((await before.send({ url: '/api/m18s/user' })).json().errorCode).toBe('UNAUTHORIZED')
    await expect(server.signIn('user@alpha', password)).rejects.toThrow('invalid_grant')
    await server.signIn('user@alpha', chosen)
    const [notice] = await box.fetch()
    expect([notice?.to.address, notice?.subject]).toEqual([
      'user@alpha.example',
      'Your password was changed · Service portal',
    ])
    expect(keyIn(notice ?? { text: '' })).toBe('')
  })

  test('changing the password by the old one tells the owner too (S-38)', async () => {
    const user = await server.signIn('user@alpha')
    const payload = { orgPwd: password, newPwd: chosen }
    expect((await user.send({ method: 'POST', url: '/api/m18s/password', payload })).statusCode).toBe(204)
    expect((await box.fetch()).map(({ to }) => to.address)).toEqual(['user@alpha.example'])
  })

  test('known, unknown, disabled and deleted are one answer, and only who may have a mail gets one (S-32)', async () => {
    const asked = [
      ['alpha', 'user@alpha.example'],
      ['alpha', 'waiting@alpha.example'],
      ['alpha', 'nobody@alpha.example'],
      ['nowhere', 'user@alpha.example'],
      ['alpha', 'disabled@alpha.example'],
      ['alpha', 'deleted@alpha.example'],
    ] as const
    for (const [code, email] of asked) {
      const { statusCode, body } = await forget(code, email)
      expect([email, statusCode, body]).toEqual([email, 204, ''])
    }
    const told = (await box.fetch()).map(({ to }) => to.address)
    expect(told.toSorted()).toEqual(['user@alpha.example', 'waiting@alpha.example'])
  })

  test('three mails an hour, counted alike for who is known and who is not (S-40)', async () => {
    for (const email of ['user@alpha.example', 'nobody@alpha.example']) {
      for (let at = 0; at < 3; at++) expect((await forget('alpha', email)).statusCode).toBe(204)
      expect(told(await forget('alpha', email.toUpperCase()))).toEqual([429, 'RATE_LIMITED'])
    }
  })

  test('a link works once, also used twice at the same time, for an hour, and until a newer mail (S-35, D75)', async () => {
    const first = await linkFor('user@alpha')
    const second = await linkFor('user@alpha')
    expect(told(await reset(first))).toEqual([400, 'INVALID_RESETPWD_LINK'])
    const answers = await Promise.all([reset(second), reset(second), reset(second)])
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect((await reset(second)).json().errorMessage).toBe('Password reset link is invalid or overdue.')
    const third = await linkFor('user@alpha')
    server.clock.now += 3_600_000
    expect(told(await reset(third))).toEqual([400, 'INVALID_RESETPWD_LINK'])
    expect(told(await reset('no-such-key'))).toEqual([400, 'INVALID_RESETPWD_LINK'])
  })

  test('a weak password leaves the link as it was (S-27, S-28)', async () => {
    const otk = await linkFor('user@alpha')
    expect(told(await reset(otk, 'password1!'))).toEqual([400, 'WEAK_PASSWORD'])
    expect((await reset(otk, 'Sh0rt-7')).json().data).toMatchObject([{ field: 'pwd', code: 'TOO_SHORT' }])
    expect((await reset(otk)).statusCode).toBe(200)
  })

  test('a link of one purpose is none of the other, and ends with the account', async () => {
    const otk = await linkFor('waiting@alpha')
    expect(told(await post('/public/users/activate', { otk }))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect((await reset(otk)).statusCode).toBe(200)
    await expect(server.signIn('waiting@alpha', chosen)).rejects.toThrow('USER_STATUS_DEACTIVATED')
    const late = await linkFor('user@alpha')
    const admin = await server.signIn('admin@alpha')
    await admin.send({ method: 'POST', url: `/api/users/disable/${server.world.users['user@alpha']}` })
    expect(told(await reset(late))).toEqual([400, 'INVALID_RESETPWD_LINK'])
  })

  test('lets in again who was locked out by a stranger’s guesses (S-30)', async () => {
    for (let at = 0; at < 6; at++) await server.signIn('user@alpha', 'Not-the-one-44').catch(() => undefined)
    await expect(server.signIn('user@alpha', password)).rejects.toThrow('RATE_LIMITED')
    await reset(await linkFor('user@alpha'))
    await server.signIn('user@alpha', chosen)
  })

  test('a mail that is tried again carries the same link, and none once a newer one has gone (R-29)', async () => {
    await forget('alpha', 'user@alpha.example')
    const copied = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('job').selectAll().executeTakeFirstOrThrow(),
    )
    const row = { ...copied, input: JSON.stringify(copied.input), point: null }
    const again = () =>
      inTransaction(server.app, { role: 'portal_system' }, (db) => db.insertInto('job').values(row).execute())
    const [first] = await box.fetch()
    await again()
    const [second] = await box.fetch()
    expect(keyIn(second ?? { text: '' })).toBe(keyIn(first ?? { text: '' }))
    expect(second?.id).toBe(first?.id)
    await linkFor('user@alpha')
    await again()
    expect(await box.fetch()).toEqual([])
  })
})
