import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { toTimestamp } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { newPassword, type Form, postForm, readStatusAndCode } from '#tests/support/server/forms.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { requestToken, startServer, type TestServer } from '#tests/support/server/server.ts'

const filledForm = {
  code: 'Nova_1',
  name: 'Nova Ltd',
  country: 'HK',
  tel: '+852-12345678',
  user_title: '1',
  user_name: 'Ana Chan',
  user_email: 'Ana@nova.example',
  user_password: newPassword,
  confirmPwd: newPassword,
}

onConnections('registering a company', (engine) => {
  let server: TestServer
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const post = (url: string, form: Form, headers: Form = {}) => postForm(server.send, url, form, headers)
  const register = (form: Form = {}, headers?: Form) => post('/public/company', { ...filledForm, ...form }, headers)
  const resend = (password = newPassword, username = 'nova_1:ana@nova.example') =>
    post('/public/users/activatemail', { username, password })
  const activate = (otk: string) => post('/public/users/activate', { otk })
  const login = (username = 'nova_1:ana@nova.example') =>
    requestToken(
      server.fastify,
      { grant_type: 'password', username, password: newPassword },
      { 'x-token-store': 'body' },
    )
  const runAsSystem = <T>(work: (db: DatabaseHandle) => Promise<T>) =>
    runInTransaction(server.app, { role: 'portal_system' }, work)
  const listCompanies = () =>
    runAsSystem((db) => db.selectFrom('company').selectAll().where('code', '=', 'nova_1').execute())

  test('A company can register, activate and log in (M26)', async () => {
    const response = await register()
    expect([response.statusCode, response.json()]).toEqual([200, { email: 'Ana@nova.example' }])
    expect((await login()).json().errorCode).toBe('USER_STATUS_DEACTIVATED')
    const [mail] = await mailBox.fetch()
    expect(mail?.to).toEqual({ name: 'Ana Chan', address: 'Ana@nova.example' })
    expect(mail?.text).toContain(`${server.app.config.publicUrl}/saas/sys/activate?otk=`)
    const otk = readKey(mail ?? { text: '' })
    expect((await server.send({ url: `/public/users/activate?otk=${otk}` })).json()).toEqual({ code: 'OK' })
    expect((await activate(otk)).json()).toEqual({ code: 'ACTIVATE_OK' })
    const { access_token } = (await login()).json()
    const ownResponse = await server.send({
      url: '/api/m18s/user',
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(ownResponse.json()).toMatchObject({
      company_code: 'nova_1',
      name: 'Ana Chan',
      title: 1,
      admin: true,
      order: true,
    })
    const [company] = await listCompanies()
    expect(company).toMatchObject({ name: 'Nova Ltd', country: 'HK', tel: '+852-12345678', city: null, website: null })
  })

  test('The registration ignores a tax number', async () => {
    const response = await register({ tax_number: '12345678' })
    const [company] = await listCompanies()
    expect([response.statusCode, company?.tax_number]).toEqual([200, null])
  })

  test('A repeated form has one effect and one response, in sequence and concurrently', async () => {
    const responses = await Promise.all([register(), register(), register()])
    responses.push(await register({ user_email: 'ana@NOVA.example' }), await register())
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
    expect(responses.map((response) => response.json().email)).toEqual(responses.map(() => 'Ana@nova.example'))
    expect(await listCompanies()).toHaveLength(1)
    expect(await mailBox.fetch()).toHaveLength(1)
  })

  test('A form that differs in any field is rejected because the code is taken', async () => {
    await register()
    const otherForms = [
      { user_password: 'Quick-hill-over-8-roads', confirmPwd: 'Quick-hill-over-8-roads' },
      { name: 'Nova Inc' },
    ]
    for (const otherForm of [
      ...otherForms,
      { user_email: 'eve@nova.example' },
      { user_name: 'Eve' },
      { code: 'NOVA_1', city: 'X' },
    ])
      expect(readStatusAndCode(await register(otherForm))).toEqual([409, 'DUP_CODE'])
    const [mail] = await mailBox.fetch()
    await activate(readKey(mail ?? { text: '' }))
    expect(readStatusAndCode(await register())).toEqual([409, 'DUP_CODE'])
    expect(readStatusAndCode(await register({ code: 'alpha' }))).toEqual([409, 'DUP_CODE'])
  })

  test("The provider's code and reserved words are rejected (D70, D71)", async () => {
    for (const code of ['m18', 'M18', 'Admin', 'MySQL', 'select', 'lateral']) {
      const response = await register({ code })
      expect(readStatusAndCode(response)).toEqual([409, 'RESERVED_CODE'])
      expect(response.json().errorMessage).toBe(`"${code}" is reserved by system`)
    }
  })

  test('Common passwords and passwords made from company data are rejected (S-28)', async () => {
    for (const user_password of ['password1!', 'Nova-ltd-2026', 'ana@nova.example'])
      expect(readStatusAndCode(await register({ user_password, confirmPwd: user_password }))).toEqual([
        400,
        'WEAK_PASSWORD',
      ])
    expect(await listCompanies()).toEqual([])
  })

  test('The mail uses the language of the form, otherwise that of the browser (D68)', async () => {
    await register({ language: 'zh' }, { 'accept-language': 'en' })
    const [chineseMail] = await mailBox.fetch()
    expect(chineseMail?.subject).toContain('激活您的账号')
    expect(chineseMail?.text).toContain('&lang=zh')
    await register({ code: 'nova_2', user_email: 'b@nova.example' }, { 'accept-language': 'zh-HK' })
    expect((await mailBox.fetch())[0]?.html).toContain('lang="zh-Hans"')
  })

  test('The mail contains no markup from users and only links to the portal', async () => {
    await register({ name: 'Buy at www.evil.example/x', user_name: '<b>Ana</b> {{link}}' })
    const [mail] = await mailBox.fetch()
    expect(mail?.html).not.toContain('<b>')
    expect(mail?.html).not.toContain('evil.example')
    expect(mail?.text).not.toContain('www.evil.example')
    expect(mail?.subject).toBe('Activate your account · Service portal')
  })

  test('A new mail ends the older link, and an address gets at most three mails an hour (D75, S-40)', async () => {
    await register()
    const [first] = await mailBox.fetch()
    expect((await resend()).statusCode).toBe(204)
    const [second] = await mailBox.fetch()
    expect(readStatusAndCode(await activate(readKey(first ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect((await resend()).statusCode).toBe(204)
    const limitedResponse = await resend()
    expect(readStatusAndCode(limitedResponse)).toEqual([429, 'RATE_LIMITED'])
    expect(Number(limitedResponse.headers['retry-after'])).toBeGreaterThan(3000)
    const [third] = await mailBox.fetch()
    expect(readStatusAndCode(await activate(readKey(second ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    server.clock.now += 3_600_000
    expect((await resend()).statusCode).toBe(204)
    // The new mail is not sent yet, so the older link is still valid.
    expect((await activate(readKey(third ?? { text: '' }))).statusCode).toBe(200)
    expect(await mailBox.fetch()).toEqual([])
  })

  test('A link is valid for 72 hours after it was sent (D75)', async () => {
    await register()
    const [mail] = await mailBox.fetch()
    server.clock.now += 72 * 3_600_000
    expect(readStatusAndCode(await activate(readKey(mail ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
  })

  test('Resending a link reveals nothing without the password, and counts as a guess (S-29, S-32)', async () => {
    await register()
    const wrongResponses = await Promise.all([
      resend('Not-the-one-44'),
      resend(newPassword, 'nova_1:x@nova.example'),
      resend(newPassword, 'x'),
    ])
    for (const response of wrongResponses) expect(readStatusAndCode(response)).toEqual([401, 'invalid_grant'])
    expect(readStatusAndCode(await resend('Quiet-harbour-27', 'alpha:user@alpha.example'))).toEqual([
      409,
      'USER_STATUS_INVALID',
    ])
    for (let index = 0; index < 4; index++) await resend('Not-the-one-44')
    expect(readStatusAndCode(await resend())).toEqual([429, 'RATE_LIMITED'])
  })

  test('A network address causes at most twenty mails an hour, and a refusal computes no hash (S-40, R-36)', async () => {
    for (let index = 0; index < 20; index++)
      expect((await register({ code: `n${index}`, user_email: `u${index}@nova.example` })).statusCode).toBe(200)
    const startedAt = performance.now()
    expect(readStatusAndCode(await register({ code: 'n20', user_email: 'u20@nova.example' }))).toEqual([
      429,
      'RATE_LIMITED',
    ])
    expect(performance.now() - startedAt).toBeLessThan(500)
  })

  test('Database and log contain no key, password or link (S-35)', async () => {
    await register()
    const dumpDatabase = () =>
      runAsSystem(async (db) =>
        JSON.stringify([
          await db.selectFrom('job').selectAll().execute(),
          await db.selectFrom('one_time_key').selectAll().execute(),
          await db.selectFrom('portal_user').selectAll().execute(),
        ]),
      )
    const dumpBefore = await dumpDatabase()
    const [mail] = await mailBox.fetch()
    const otk = readKey(mail ?? { text: '' })
    expect(otk).toMatch(/^[\w-]{43}$/)
    for (const text of [dumpBefore, await dumpDatabase(), server.readLog()]) {
      expect(text).not.toContain(otk)
      expect(text).not.toContain(newPassword)
    }
    expect(await runAsSystem((db) => db.selectFrom('job').selectAll().execute())).toEqual([])
  })

  test('Links use the configured address and ignore the Host header (S-37)', async () => {
    await register({}, { host: '203.0.113.66', 'x-forwarded-host': 'evil.example' })
    expect((await mailBox.fetch())[0]?.html).not.toMatch(/evil\.example|203\.0\.113\.66/)
  })

  test('An invited user gets an activation mail, also on request, and an active user gets no mail (M40)', async () => {
    const admin = await server.signIn('admin@alpha')
    const body = { title: 0, name: 'Bo', email: 'bo@alpha.example' }
    const invitedUser = (await admin.send({ method: 'POST', url: '/api/m18s/user', payload: body })).json()
    const [first] = await mailBox.fetch()
    expect(first?.to.address).toBe('bo@alpha.example')
    const secondMail = await admin.send({
      method: 'POST',
      url: `/api/users/activatemail/${invitedUser.id}`,
      headers: { 'if-match': '"1"' },
    })
    expect([secondMail.statusCode, secondMail.json().status, secondMail.json().row_version]).toEqual([200, 0, 2])
    const [second] = await mailBox.fetch()
    expect(readStatusAndCode(await activate(readKey(first ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    const otk = readKey(second ?? { text: '' })
    const activation = await post('/public/users/activate', { otk, password: newPassword })
    expect(activation.json()).toEqual({ code: 'ACTIVATE_OK' })
    const requestMail = (userName: string) =>
      admin.send({ method: 'POST', url: `/api/users/activatemail/${server.world.users[userName] ?? 0}` })
    expect(readStatusAndCode(await requestMail('user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect(readStatusAndCode(await requestMail('waiting@beta'))).toEqual([404, 'USER_NOT_EXIST'])
    expect(await mailBox.fetch()).toEqual([])
  })

  test('Only the admin sees until when an invitation link is valid (D75)', async () => {
    const admin = await server.signIn('admin@alpha')
    const id = server.world.users['invited@alpha'] ?? 0
    const readInvitation = async (caller = admin, userId = id) =>
      (await caller.send({ url: `/api/m18s/user?userId=${userId}` })).json().invitation
    expect(await readInvitation()).toBe(null)
    await admin.send({ method: 'POST', url: `/api/users/activatemail/${id}` })
    expect(await readInvitation()).toBe(null)
    const [mail] = await mailBox.fetch()
    const until = toTimestamp('Asia/Hong_Kong', server.clock.now + 72 * 3_600_000)
    expect(await readInvitation()).toEqual({ until, works: true })
    server.clock.now += 72 * 3_600_000
    const laterAdmin = await server.signIn('admin@alpha')
    expect(await readInvitation(laterAdmin)).toEqual({ until, works: false })
    expect(readStatusAndCode(await activate(readKey(mail ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect(await readInvitation(laterAdmin, laterAdmin.userId)).toBe(null)
    const user = await server.signIn('user@alpha')
    expect(readStatusAndCode(await user.send({ url: `/api/m18s/user?userId=${id}` }))).toEqual([404, 'USER_NOT_EXIST'])
  })

  test('Strangers cannot block invitations, and an admin can send an address three mails an hour (S-30, S-40)', async () => {
    const admin = await server.signIn('admin@alpha')
    const email = 'bo@alpha.example'
    for (let index = 0; index < 4; index++)
      await post('/public/password/resetmail', { companyCode: 'alpha', userEmail: email })
    const payload = { title: 0, name: 'Bo', email }
    const createResponse = await admin.send({ method: 'POST', url: '/api/m18s/user', payload })
    expect(createResponse.statusCode).toBe(200)
    const requestMail = () => admin.send({ method: 'POST', url: `/api/users/activatemail/${createResponse.json().id}` })
    expect([(await requestMail()).statusCode, (await requestMail()).statusCode]).toEqual([200, 200])
    server.clock.now += 90_000
    // Not a 429, which would block all other waiting writes of the admin's device for the rest of the hour.
    const refusal = await requestMail()
    expect([...readStatusAndCode(refusal), refusal.json().data, refusal.headers['retry-after']]).toEqual([
      409,
      'MAIL_LIMIT',
      { minutes: 59 },
      undefined,
    ])
    server.clock.now += 3_600_000
    const laterAdmin = await server.signIn('admin@alpha')
    const url = `/api/users/activatemail/${createResponse.json().id}`
    expect((await laterAdmin.send({ method: 'POST', url })).statusCode).toBe(200)
  })

  test('A mail that is requested twice under one key is sent once', async () => {
    const admin = await server.signIn('admin@alpha')
    const headers = { 'idempotency-key': 'd4b1a7ce-51a4-4a55-b8f8-0a4a12a3c0de' }
    const url = `/api/users/activatemail/${server.world.users['invited@alpha']}`
    for (let index = 0; index < 3; index++)
      expect((await admin.send({ method: 'POST', url, headers })).statusCode).toBe(200)
    expect(await mailBox.fetch()).toHaveLength(1)
  })
})
