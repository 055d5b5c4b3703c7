/** What happens at the same moment is as if it had happened one after the other (F-08), and to each company alone (N-09). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { onConnections } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('at the same moment', (engine) => {
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

  let made = 0
  async function newUser(): Promise<number> {
    const payload = { title: 0, name: 'Same', email: `same${made++}@alpha.example` }
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
  const pairs = names.flatMap((one, at) => names.slice(at).map((other) => [one, other] as const))

  /** Both answers and the row that is left, without what differs between two users. */
  async function outcome(run: (id: number) => Promise<{ statusCode: number; body: string }[]>) {
    const id = await newUser()
    const said = (await run(id)).map(({ statusCode, body }) =>
      statusCode < 400 ? String(statusCode) : `${statusCode} ${JSON.parse(body).errorCode}`,
    )
    const { name, alert, status, row_version } = (await admin.send({ url: `/api/m18s/user?userId=${id}` })).json()
    return { said, name, alert, status, row_version }
  }

  test.each(pairs)('%s and %s of one user end as in one of the two orders (F-08)', async (one, other) => {
    const [first, second] = [writes[one]!, writes[other]!]
    const inOrder = await outcome(async (id) => [await first(id), await second(id)])
    const reversed = await outcome(async (id) => [await second(id), await first(id)].toReversed())
    for (let round = 0; round < 3; round++) {
      const together = await outcome((id) => Promise.all([first(id), second(id)]))
      expect([inOrder, reversed]).toContainEqual(together)
    }
  })

  test('two companies that ask in turns are each answered of themselves (N-09)', async () => {
    const beta = await server.signIn('admin@beta')
    const asked = (by: SignedIn, companyId: number, userId: number) => [
      by.send({ url: `/api/m18s/company/${companyId}/users` }),
      by.send({ url: `/api/m18s/company/${companyId}` }),
      by.send({ url: '/api/m18s/user' }),
      by.send({ method: 'PUT', url: `/api/m18s/user/${userId}`, payload: { language: 'zh' } }),
      by.send({ url: '/api/m18s/user?userId=999999' }),
    ]
    const { companies } = server.world
    for (let round = 0; round < 40; round++) {
      const [own, foreign] = [
        asked(admin, companies.alpha, admin.userId),
        asked(beta, companies.beta, beta.userId),
      ] as const
      for (const { statusCode, body } of await Promise.all(own)) {
        expect([200, 404]).toContain(statusCode)
        expect(body).not.toContain(canaries.beta)
      }
      const answers = await Promise.all(foreign)
      for (const { body } of answers) expect(body).not.toContain(canaries.alpha)
      expect(answers[1]?.body).toContain(canaries.beta)
    }
  })
})
