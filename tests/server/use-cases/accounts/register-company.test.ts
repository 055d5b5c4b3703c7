import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { timestampIn } from '#domain/time.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { chosen, type Form, postForm, told } from '#tests/support/server/forms.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { grant, startServer, type TestServer } from '#tests/support/server/server.ts'

const filled = {
  code: 'Nova_1',
  name: 'Nova Ltd',
  country: 'HK',
  tel: '+852-12345678',
  user_title: '1',
  user_name: 'Ana Chan',
  user_email: 'Ana@nova.example',
  user_password: chosen,
  confirmPwd: chosen,
}

onConnections('registering a company', (engine) => {
  let server: TestServer
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const post = (url: string, form: Form, headers: Form = {}) => postForm(server.send, url, form, headers)
  const register = (form: Form = {}, headers?: Form) => post('/public/company', { ...filled, ...form }, headers)
  const resend = (password = chosen, username = 'nova_1:ana@nova.example') =>
    post('/public/users/activatemail', { username, password })
  const activate = (otk: string) => post('/public/users/activate', { otk })
  const login = (username = 'nova_1:ana@nova.example') =>
    grant(server.fastify, { grant_type: 'password', username, password: chosen }, { 'x-token-store': 'body' })
  const asSystem = <T>(work: (db: Handle) => Promise<T>) => inTransaction(server.app, { role: 'portal_system' }, work)
  const companies = () => asSystem((db) => db.selectFrom('company').selectAll().where('code', '=', 'nova_1').execute())

  test('from the form to the first login (M26)', async () => {
    const answer = await register()
    expect([answer.statusCode, answer.json()]).toEqual([200, { email: 'Ana@nova.example' }])
    expect((await login()).json().errorCode).toBe('USER_STATUS_DEACTIVATED')
    const [mail] = await box.fetch()
    expect(mail?.to).toEqual({ name: 'Ana Chan', address: 'Ana@nova.example' })
    expect(mail?.text).toContain(`${server.app.config.publicUrl}/saas/sys/activate?otk=`)
    const otk = keyIn(mail ?? { text: '' })
    expect((await server.send({ url: `/public/users/activate?otk=${otk}` })).json()).toEqual({ code: 'OK' })
    expect((await activate(otk)).json()).toEqual({ code: 'ACTIVATE_OK' })
    const { access_token } = (await login()).json()
    const own = await server.send({ url: '/api/m18s/user', headers: { authorization: `Bearer ${access_token}` } })
    expect(own.json()).toMatchObject({ company_code: 'nova_1', name: 'Ana Chan', title: 1, admin: true, order: true })
    const [company] = await companies()
    expect(company).toMatchObject({ name: 'Nova Ltd', country: 'HK', tel: '+852-12345678', city: null, website: null })
  })

  test('asks for no tax number, and takes none', async () => {
    const answer = await register({ tax_number: '12345678' })
    const [company] = await companies()
    expect([answer.statusCode, company?.tax_number]).toEqual([200, null])
  })

  test('the same form again has one effect and the same answer, one after another and all at once', async () => {
    const answers = await Promise.all([register(), register(), register()])
    answers.push(await register({ user_email: 'ana@NOVA.example' }), await register())
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
    expect(answers.map((answer) => answer.json().email)).toEqual(answers.map(() => 'Ana@nova.example'))
    expect(await companies()).toHaveLength(1)
    expect(await box.fetch()).toHaveLength(1)
  })

  test('what differs in anything is somebody else: the code is taken', async () => {
    await register()
    const others = [
      { user_password: 'Quick-hill-over-8-roads', confirmPwd: 'Quick-hill-over-8-roads' },
      { name: 'Nova Inc' },
    ]
    for (const other of [
      ...others,
      { user_email: 'eve@nova.example' },
      { user_name: 'Eve' },
      { code: 'NOVA_1', city: 'X' },
    ])
      expect(told(await register(other))).toEqual([409, 'DUP_CODE'])
    const [mail] = await box.fetch()
    await activate(keyIn(mail ?? { text: '' }))
    expect(told(await register())).toEqual([409, 'DUP_CODE'])
    expect(told(await register({ code: 'alpha' }))).toEqual([409, 'DUP_CODE'])
  })

  test('the provider and reserved words are nobody else’s (D70, D71)', async () => {
    for (const code of ['m18', 'M18', 'Admin', 'MySQL', 'select', 'lateral']) {
      const answer = await register({ code })
      expect(told(answer)).toEqual([409, 'RESERVED_CODE'])
      expect(answer.json().errorMessage).toBe(`"${code}" is reserved by system`)
    }
  })

  test('passwords that many use, or that are made of the company’s own words, are refused (S-28)', async () => {
    for (const user_password of ['password1!', 'Nova-ltd-2026', 'ana@nova.example'])
      expect(told(await register({ user_password, confirmPwd: user_password }))).toEqual([400, 'WEAK_PASSWORD'])
    expect(await companies()).toEqual([])
  })

  test('is in the language that was asked for, of the form before the browser (D68)', async () => {
    await register({ language: 'zh' }, { 'accept-language': 'en' })
    const [chinese] = await box.fetch()
    expect(chinese?.subject).toContain('激活您的账号')
    expect(chinese?.text).toContain('&lang=zh')
    await register({ code: 'nova_2', user_email: 'b@nova.example' }, { 'accept-language': 'zh-HK' })
    expect((await box.fetch())[0]?.html).toContain('lang="zh-Hans"')
  })

  test('a mail carries nobody’s markup and no links but ours', async () => {
    await register({ name: 'Buy at www.evil.example/x', user_name: '<b>Ana</b> {{link}}' })
    const [mail] = await box.fetch()
    expect(mail?.html).not.toContain('<b>')
    expect(mail?.html).not.toContain('evil.example')
    expect(mail?.text).not.toContain('www.evil.example')
    expect(mail?.subject).toBe('Activate your account · Service portal')
  })

  test('a new mail ends the old link, and three an hour are enough for an address (D75, S-40)', async () => {
    await register()
    const [first] = await box.fetch()
    expect((await resend()).statusCode).toBe(204)
    const [second] = await box.fetch()
    expect(told(await activate(keyIn(first ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect((await resend()).statusCode).toBe(204)
    const limited = await resend()
    expect(told(limited)).toEqual([429, 'RATE_LIMITED'])
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(3000)
    const [third] = await box.fetch()
    expect(told(await activate(keyIn(second ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    server.clock.now += 3_600_000
    expect((await resend()).statusCode).toBe(204)
    // Not sent yet: the older link holds until it is.
    expect((await activate(keyIn(third ?? { text: '' }))).statusCode).toBe(200)
    expect(await box.fetch()).toEqual([])
  })

  test('a link holds 72 hours from when it was sent (D75)', async () => {
    await register()
    const [mail] = await box.fetch()
    server.clock.now += 72 * 3_600_000
    expect(told(await activate(keyIn(mail ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
  })

  test('resending tells nothing to who does not know the password, and counts as a guess (S-29, S-32)', async () => {
    await register()
    const wrong = await Promise.all([
      resend('Not-the-one-44'),
      resend(chosen, 'nova_1:x@nova.example'),
      resend(chosen, 'x'),
    ])
    for (const answer of wrong) expect(told(answer)).toEqual([401, 'invalid_grant'])
    expect(told(await resend('Quiet-harbour-27', 'alpha:user@alpha.example'))).toEqual([409, 'USER_STATUS_INVALID'])
    for (let at = 0; at < 4; at++) await resend('Not-the-one-44')
    expect(told(await resend())).toEqual([429, 'RATE_LIMITED'])
  })

  test('one network address has twenty mails an hour, and the twenty-first costs no hash (S-40, R-36)', async () => {
    for (let at = 0; at < 20; at++)
      expect((await register({ code: `n${at}`, user_email: `u${at}@nova.example` })).statusCode).toBe(200)
    const from = performance.now()
    expect(told(await register({ code: 'n20', user_email: 'u20@nova.example' }))).toEqual([429, 'RATE_LIMITED'])
    expect(performance.now() - from).toBeLessThan(500)
  })

  test('no key, no password and no link stands in the database or the log, before and after the mail (S-35)', async () => {
    await register()
    const dump = () =>
      asSystem(async (db) =>
        JSON.stringify([
          await db.selectFrom('job').selectAll().execute(),
          await db.selectFrom('one_time_key').selectAll().execute(),
          await db.selectFrom('portal_user').selectAll().execute(),
        ]),
      )
    const before = await dump()
    const [mail] = await box.fetch()
    const otk = keyIn(mail ?? { text: '' })
    expect(otk).toMatch(/^[\w-]{43}$/)
    for (const text of [before, await dump(), server.logged()]) {
      expect(text).not.toContain(otk)
      expect(text).not.toContain(chosen)
    }
    expect(await asSystem((db) => db.selectFrom('job').selectAll().execute())).toEqual([])
  })

  test('links name the configured address, whatever Host says (S-37)', async () => {
    await register({}, { host: '203.0.113.66', 'x-forwarded-host': 'evil.example' })
    expect((await box.fetch())[0]?.html).not.toMatch(/evil\.example|203\.0\.113\.66/)
  })

  test('an invited user gets the mail too, again on demand, and of nobody active (M40)', async () => {
    const admin = await server.signIn('admin@alpha')
    const body = { title: 0, name: 'Bo', email: 'bo@alpha.example' }
    const made = (await admin.send({ method: 'POST', url: '/api/m18s/user', payload: body })).json()
    const [first] = await box.fetch()
    expect(first?.to.address).toBe('bo@alpha.example')
    const again = await admin.send({
      method: 'POST',
      url: `/api/users/activatemail/${made.id}`,
      headers: { 'if-match': '"1"' },
    })
    expect([again.statusCode, again.json().status, again.json().row_version]).toEqual([200, 0, 2])
    const [second] = await box.fetch()
    expect(told(await activate(keyIn(first ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    const otk = keyIn(second ?? { text: '' })
    const set = await post('/public/users/activate', { otk, password: chosen })
    expect(set.json()).toEqual({ code: 'ACTIVATE_OK' })
    const ask = (who: string) =>
      admin.send({ method: 'POST', url: `/api/users/activatemail/${server.world.users[who] ?? 0}` })
    expect(told(await ask('user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect(told(await ask('waiting@beta'))).toEqual([404, 'USER_NOT_EXIST'])
    expect(await box.fetch()).toEqual([])
  })

  test('tells the admin until when the link works, and nobody else (D75)', async () => {
    const admin = await server.signIn('admin@alpha')
    const id = server.world.users['invited@alpha'] ?? 0
    const seen = async (by = admin, userId = id) =>
      (await by.send({ url: `/api/m18s/user?userId=${userId}` })).json().invitation
    expect(await seen()).toBe(null)
    await admin.send({ method: 'POST', url: `/api/users/activatemail/${id}` })
    expect(await seen()).toBe(null)
    const [mail] = await box.fetch()
    const until = timestampIn('Asia/Hong_Kong', server.clock.now + 72 * 3_600_000)
    expect(await seen()).toEqual({ until, works: true })
    server.clock.now += 72 * 3_600_000
    const later = await server.signIn('admin@alpha')
    expect(await seen(later)).toEqual({ until, works: false })
    expect(told(await activate(keyIn(mail ?? { text: '' })))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
    expect(await seen(later, later.userId)).toBe(null)
    const user = await server.signIn('user@alpha')
    expect(told(await user.send({ url: `/api/m18s/user?userId=${id}` }))).toEqual([404, 'USER_NOT_EXIST'])
  })

  test('no stranger keeps a colleague from being invited, and an admin has three mails an hour too (S-30, S-40)', async () => {
    const admin = await server.signIn('admin@alpha')
    const email = 'bo@alpha.example'
    for (let at = 0; at < 4; at++) await post('/public/password/resetmail', { companyCode: 'alpha', userEmail: email })
    const payload = { title: 0, name: 'Bo', email }
    const made = await admin.send({ method: 'POST', url: '/api/m18s/user', payload })
    expect(made.statusCode).toBe(200)
    const again = () => admin.send({ method: 'POST', url: `/api/users/activatemail/${made.json().id}` })
    expect([(await again()).statusCode, (await again()).statusCode]).toEqual([200, 200])
    server.clock.now += 90_000
    // Never a 429: that would hold up whatever else waits on the admin's device for the rest of the hour.
    const refused = await again()
    expect([...told(refused), refused.json().data, refused.headers['retry-after']]).toEqual([
      409,
      'MAIL_LIMIT',
      { minutes: 59 },
      undefined,
    ])
    server.clock.now += 3_600_000
    const later = await server.signIn('admin@alpha')
    const url = `/api/users/activatemail/${made.json().id}`
    expect((await later.send({ method: 'POST', url })).statusCode).toBe(200)
  })

  test('a mail asked for twice under one key is sent once', async () => {
    const admin = await server.signIn('admin@alpha')
    const headers = { 'idempotency-key': 'd4b1a7ce-51a4-4a55-b8f8-0a4a12a3c0de' }
    const url = `/api/users/activatemail/${server.world.users['invited@alpha']}`
    for (let at = 0; at < 3; at++) expect((await admin.send({ method: 'POST', url, headers })).statusCode).toBe(200)
    expect(await box.fetch()).toHaveLength(1)
  })
})
