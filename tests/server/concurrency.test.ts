/** Tests that concurrent requests have the same effect as sequential requests (F-08), and no effect on other companies (N-09). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onConnections } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('concurrent requests', (engine) => {
  let server: TestServer
  let admin: SignedIn
  beforeAll(async () => {
    server = await startServer({ engine })
  }, 90_000)
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
  })

  let createdCount = 0
  async function createUser(): Promise<number> {
    const payload = { title: 0, name: 'Same', email: `same${createdCount++}@alpha.example` }
    return (await admin.send({ method: 'POST', url: '/api/m18s/user', payload })).json().id
  }

  const writes: Record<string, (id: number) => Promise<{ statusCode: number; body: string }>> = {
    rename: (id) => admin.send({ method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { name: 'Other' } }),
    flag: (id) => admin.send({ method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { alert: true } }),
    disable: (id) => admin.send({ method: 'POST', url: `/api/users/disable/${id}` }),
    enable: (id) => admin.send({ method: 'POST', url: `/api/users/enable/${id}` }),
    delete: (id) => admin.send({ method: 'DELETE', url: `/api/m18s/user/${id}` }),
  }
  const names = Object.keys(writes)
  const pairs = names.flatMap((firstName, index) =>
    names.slice(index).map((secondName) => [firstName, secondName] as const),
  )

  /** Returns both responses and the resulting row, without the values that differ between two users. */
  async function readOutcome(run: (id: number) => Promise<{ statusCode: number; body: string }[]>) {
    const id = await createUser()
    const responses = (await run(id)).map(({ statusCode, body }) =>
      statusCode < 400 ? String(statusCode) : `${statusCode} ${JSON.parse(body).errorCode}`,
    )
    const { name, alert, status, row_version } = (await admin.send({ url: `/api/m18s/user?userId=${id}` })).json()
    return { responses, name, alert, status, row_version }
  }

  test.each(pairs)(
    '%s and %s of one user, sent concurrently, end as if sent one after the other (F-08)',
    async (firstName, secondName) => {
      const [firstWrite, secondWrite] = [writes[firstName]!, writes[secondName]!]
      const sequentialOutcome = await readOutcome(async (id) => [await firstWrite(id), await secondWrite(id)])
      const reversedOutcome = await readOutcome(async (id) =>
        [await secondWrite(id), await firstWrite(id)].toReversed(),
      )
      for (let round = 0; round < 3; round++) {
        const parallelOutcome = await readOutcome((id) => Promise.all([firstWrite(id), secondWrite(id)]))
        expect([sequentialOutcome, reversedOutcome]).toContainEqual(parallelOutcome)
      }
    },
  )

  test('interleaved requests of two companies each return only their own rows (N-09)', async () => {
    const beta = await server.signIn('admin@beta')
    const sendRequests = (sender: SignedIn, companyId: number, userId: number) => [
      sender.send({ url: `/api/m18s/company/${companyId}/users` }),
      sender.send({ url: `/api/m18s/company/${companyId}` }),
      sender.send({ url: '/api/m18s/user' }),
      sender.send({ method: 'PUT', url: `/api/m18s/user/${userId}`, payload: { language: 'zh' } }),
      sender.send({ url: '/api/m18s/user?userId=999999' }),
    ]
    const { companies } = server.world
    for (let round = 0; round < 40; round++) {
      const [ownRequests, foreignRequests] = [
        sendRequests(admin, companies.alpha, admin.userId),
        sendRequests(beta, companies.beta, beta.userId),
      ] as const
      for (const { statusCode, body } of await Promise.all(ownRequests)) {
        expect([200, 404]).toContain(statusCode)
        expect(body).not.toContain(canaries.beta)
      }
      const responses = await Promise.all(foreignRequests)
      for (const { body } of responses) expect(body).not.toContain(canaries.alpha)
      expect(responses[1]?.body).toContain(canaries.beta)
    }
  })
})
