import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { mailsAnHour } from '#domain/mails.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { postForm, told } from '#tests/support/server/forms.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

const hourMs = 3_600_000

onConnections('the mails that a company causes', (engine) => {
  let server: TestServer
  let admin: SignedIn
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
    await isRegistered(server.clock.now)
  })

  const isRegistered = (at: number) =>
    pastPolicies(server.app.database, (db) =>
      sql`update company set create_time = ${at} where id = ${server.world.companies.alpha}`.execute(db),
    )
  const invite = (name: string, by = admin, key: string = randomUUID()) =>
    by.send({
      method: 'POST',
      url: '/api/m18s/user',
      headers: { 'idempotency-key': key },
      payload: { title: 0, name, email: `${name}@elsewhere.example` },
    })
  const inviteMany = async (count: number) => {
    const answers = []
    for (let at = 0; at < count; at++) answers.push(await invite(`stranger${at}`))
    return answers
  }
  const isFull = [423, 'COMPANY_MAIL_LIMIT']

  test('are few while it is new, and what is refused is said to be tried again, and is done then', async () => {
    const answers = await inviteMany(mailsAnHour.newCompany + 5)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(
      answers.map((_, at) => (at < mailsAnHour.newCompany ? 200 : 423)),
    )
    expect(await box.fetch()).toHaveLength(mailsAnHour.newCompany)

    server.clock.now += 60_000
    const key = randomUUID()
    const refused = await invite('late', admin, key)
    expect([...told(refused), refused.headers['retry-after'], refused.json().data]).toEqual([
      ...isFull,
      '3540',
      { minutes: 59, retry_after: 3540 },
    ])
    expect(refused.json().errorMessage).toMatch(/The next can be sent in 59 min/)
    expect(refused.headers['idempotency-outcome']).toBeUndefined()
    // A colleague who was invited before, and another company, which is counted by itself.
    const again = `/api/users/activatemail/${server.world.users['invited@alpha']}`
    expect(told(await admin.send({ method: 'POST', url: again }))).toEqual(isFull)
    expect((await invite('late', await server.signIn('admin@beta'))).statusCode).toBe(200)

    server.clock.now += hourMs
    expect((await invite('late', await server.signIn('admin@alpha'), key)).statusCode).toBe(200)
  })

  test('are not more when they are asked for at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => invite(`stranger${at}`)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(mailsAnHour.newCompany)
    expect(answers.filter((answer) => told(answer)[1] === 'COMPANY_MAIL_LIMIT')).toHaveLength(20)
  })

  test('are more after its first week, and still not without end', async () => {
    await isRegistered(server.clock.now - 7 * 24 * hourMs)
    const answers = await inviteMany(mailsAnHour.knownCompany + 1)
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(mailsAnHour.knownCompany)
    expect(told(answers.at(-1) ?? (await invite('x')))).toEqual(isFull)
  })

  test('do not grow by resets for those who never came, while nobody outside can use up its invitations', async () => {
    const invited = await inviteMany(10)
    expect(invited.every(({ statusCode }) => statusCode === 200)).toBe(true)
    await box.fetch()
    for (let at = 0; at < 30; at++) {
      const form = { companyCode: 'alpha', userEmail: `stranger${at % 10}@elsewhere.example` }
      const from = `198.51.100.${at}`
      const answer = await postForm(
        (options) => server.send({ ...options, remoteAddress: from }),
        '/public/password/resetmail',
        form,
      )
      expect(answer.statusCode).toBeLessThan(300)
    }
    expect(await box.fetch()).toHaveLength(mailsAnHour.newCompany)
    expect((await invite('another')).statusCode).toBe(200)
  })

  test("do not have the company's words in their subject", async () => {
    await invite('reader')
    const [mail] = await box.fetch()
    expect(mail?.text).toContain(canaries.alpha)
    expect(mail?.subject).not.toContain(canaries.alpha)
    expect(mail?.subject).not.toContain('alpha')
  })
})
