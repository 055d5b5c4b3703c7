/** the two hundred sign-ups of a minute come as quickly as they can, four at a time, and others are served. */
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pastPolicies } from '#tests/support/server/database.ts'
import { chosen, postForm } from '#tests/support/server/forms.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

// The real one, and how often it was asked.
vi.mock('@node-rs/argon2', { spy: true })

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const filled = { name: 'Rush Ltd', country: 'HK', tel: '+852-1', user_title: '0', user_name: 'Ru Sh' }
const signUp = (at: number, remoteAddress: string) =>
  postForm((options) => server.send({ ...options, remoteAddress }), '/public/company', {
    ...filled,
    code: `rush${at}`,
    user_email: `u${at}@rush.example`,
    user_password: chosen,
    confirmPwd: chosen,
  })

test('each is made or told to come again, the limit answers at once, other routes answer meanwhile (R-36)', async () => {
  const user = await server.signIn('user@alpha')
  const lanes = 4
  let isOver = false
  // Each address sends one: what is met is the hashing, not the limit of mails.
  const lane = async (first: number) => {
    const said: number[] = []
    for (let at = first; at < 200; at += lanes) said.push((await signUp(at, `10.0.${at >> 5}.${at & 31}`)).statusCode)
    return said
  }
  const rush = Promise.all(Array.from({ length: lanes }, (_, at) => lane(at))).finally(() => (isOver = true))
  let answered = 0
  while (!isOver) {
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    answered += 1
  }
  // Nobody stands behind all of them: one in about four turns is the user's.
  expect(answered).toBeGreaterThan(20)
  const said = (await rush).flat()
  expect(said.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(said.filter((status) => status === 200).length).toBeGreaterThan(0)

  // One address that has had its twenty: whoever is refused waits for no hash and no row.
  vi.mocked(hash).mockClear()
  const companies = () =>
    pastPolicies(server.app.database, async (db) => (await db.selectFrom('company').select('id').execute()).length)
  const before = await companies()
  const statuses: number[] = []
  for (let at = 1000; at < 1040; at++) statuses.push((await signUp(at, '10.9.9.9')).statusCode)
  expect(statuses).toEqual(Array.from({ length: 40 }, (_, at) => (at < 20 ? 200 : 429)))
  expect(hash).toHaveBeenCalledTimes(20)
  expect((await companies()) - before).toBe(20)
})
