/** Sends two hundred sign-ups as fast as possible, four at a time, while other requests are answered. */
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { newPassword, postForm } from '#tests/support/server/forms.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

// Uses the real module and counts its calls.
vi.mock('@node-rs/argon2', { spy: true })

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const filledForm = { name: 'Rush Ltd', country: 'HK', tel: '+852-1', user_title: '0', user_name: 'Ru Sh' }
const signUp = (index: number, remoteAddress: string) =>
  postForm((options) => server.send({ ...options, remoteAddress }), '/public/company', {
    ...filledForm,
    code: `rush${index}`,
    user_email: `u${index}@rush.example`,
    user_password: newPassword,
    confirmPwd: newPassword,
  })

test('Each registration succeeds or is rejected immediately, and other routes respond meanwhile (R-36)', async () => {
  const user = await server.signIn('user@alpha')
  const clientCount = 4
  let isOver = false
  // Each address sends one sign-up, so that the limit of the hash queue is reached and not the limit of mails.
  const runClient = async (firstIndex: number) => {
    const statuses: number[] = []
    for (let index = firstIndex; index < 200; index += clientCount)
      statuses.push((await signUp(index, `10.0.${index >> 5}.${index & 31}`)).statusCode)
    return statuses
  }
  const allClients = Promise.all(Array.from({ length: clientCount }, (_, index) => runClient(index))).finally(
    () => (isOver = true),
  )
  let responseCount = 0
  while (!isOver) {
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    responseCount += 1
  }
  // The requests of the user do not wait for all sign-ups: the user gets about every fourth turn.
  expect(responseCount).toBeGreaterThan(20)
  const signUpStatuses = (await allClients).flat()
  expect(signUpStatuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(signUpStatuses.filter((status) => status === 200).length).toBeGreaterThan(0)

  // An address that has used its twenty sign-ups is refused without a hash or a row.
  vi.mocked(hash).mockClear()
  const countCompanies = () =>
    bypassPolicies(server.app.database, async (db) => (await db.selectFrom('company').select('id').execute()).length)
  const countBefore = await countCompanies()
  const limitedStatuses: number[] = []
  for (let index = 1000; index < 1040; index++) limitedStatuses.push((await signUp(index, '10.9.9.9')).statusCode)
  expect(limitedStatuses).toEqual(Array.from({ length: 40 }, (_, index) => (index < 20 ? 200 : 429)))
  expect(hash).toHaveBeenCalledTimes(20)
  expect((await countCompanies()) - countBefore).toBe(20)
})
