import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { mailsPerHour } from '#domain/mails.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { postForm, readStatusAndCode } from '#tests/support/server/forms.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

const hourMs = 3_600_000

onConnections('the mail limit of a company', (engine) => {
  let server: TestServer
  let admin: SignedIn
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
    await setRegistrationTime(server.clock.now)
  })

  const setRegistrationTime = (time: number) =>
    bypassPolicies(server.app.database, (db) =>
      sql`update company set create_time = ${time} where id = ${server.world.companies.alpha}`.execute(db),
    )
  const invite = (name: string, caller = admin, key: string = randomUUID()) =>
    caller.send({
      method: 'POST',
      url: '/api/m18s/user',
      headers: { 'idempotency-key': key },
      payload: { title: 0, name, email: `${name}@elsewhere.example` },
    })
  const inviteMany = async (count: number) => {
    const responses = []
    for (let index = 0; index < count; index++) responses.push(await invite(`stranger${index}`))
    return responses
  }
  const fullRefusal = [423, 'COMPANY_MAIL_LIMIT']

  test('A new company may cause only few mails, and a refused mail can be sent later', async () => {
    const responses = await inviteMany(mailsPerHour.newCompany + 5)
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(
      responses.map((_, index) => (index < mailsPerHour.newCompany ? 200 : 423)),
    )
    expect(await mailBox.fetch()).toHaveLength(mailsPerHour.newCompany)

    server.clock.now += 60_000
    const key = randomUUID()
    const refusal = await invite('late', admin, key)
    expect([...readStatusAndCode(refusal), refusal.headers['retry-after'], refusal.json().data]).toEqual([
      ...fullRefusal,
      '3540',
      { minutes: 59, retry_after: 3540 },
    ])
    expect(refusal.json().errorMessage).toMatch(/The next can be sent in 59 min/)
    expect(refusal.headers['idempotency-outcome']).toBeUndefined()
    // The limit also applies to a mail that is requested again. Another company has its own limit.
    const repeatUrl = `/api/users/activatemail/${server.world.users['invited@alpha']}`
    expect(readStatusAndCode(await admin.send({ method: 'POST', url: repeatUrl }))).toEqual(fullRefusal)
    expect((await invite('late', await server.signIn('admin@beta'))).statusCode).toBe(200)

    server.clock.now += hourMs
    expect((await invite('late', await server.signIn('admin@alpha'), key)).statusCode).toBe(200)
  })

  test('The limit also applies to concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => invite(`stranger${index}`)))
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(mailsPerHour.newCompany)
    expect(responses.filter((response) => readStatusAndCode(response)[1] === 'COMPANY_MAIL_LIMIT')).toHaveLength(20)
  })

  test('The limit is higher after the first week, but still finite', async () => {
    await setRegistrationTime(server.clock.now - 7 * 24 * hourMs)
    const responses = await inviteMany(mailsPerHour.knownCompany + 1)
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(mailsPerHour.knownCompany)
    expect(readStatusAndCode(responses.at(-1) ?? (await invite('x')))).toEqual(fullRefusal)
  })

  test('Resets of others neither raise the limit nor use up the invitations of the company', async () => {
    const inviteResponses = await inviteMany(10)
    expect(inviteResponses.every(({ statusCode }) => statusCode === 200)).toBe(true)
    await mailBox.fetch()
    for (let index = 0; index < 30; index++) {
      const form = { companyCode: 'alpha', userEmail: `stranger${index % 10}@elsewhere.example` }
      const address = `198.51.100.${index}`
      const response = await postForm(
        (options) => server.send({ ...options, remoteAddress: address }),
        '/public/password/resetmail',
        form,
      )
      expect(response.statusCode).toBeLessThan(300)
    }
    expect(await mailBox.fetch()).toHaveLength(mailsPerHour.newCompany)
    expect((await invite('another')).statusCode).toBe(200)
  })

  test('The subject of a mail contains no text of the company', async () => {
    await invite('reader')
    const [mail] = await mailBox.fetch()
    expect(mail?.text).toContain(canaries.alpha)
    expect(mail?.subject).not.toContain(canaries.alpha)
    expect(mail?.subject).not.toContain('alpha')
  })
})
