/** What a change of a user, or a mail to one, leaves as it is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timestampIn } from '#domain/time.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
  admin = await server.signIn('admin@alpha')
})
afterAll(() => server.close())

const idOf = (who: string) => server.world.users[who] ?? 0
const rowOf = async (who: string) => (await admin.send({ url: `/api/m18s/user?userId=${idOf(who)}` })).json()
const put = (who: string, payload: object) =>
  admin.send({ method: 'PUT', url: `/api/m18s/company-user/${idOf(who)}`, payload })

test('fault 37g an activation mail that is sent again records the day, and nothing else of the user', async () => {
  const before = await rowOf('invited@alpha')
  expect(before.invite_time).toBe(before.create_time)
  server.clock.now += 5_000
  const sent = await admin.send({ method: 'POST', url: `/api/users/activatemail/${idOf('invited@alpha')}` })
  expect(sent.statusCode).toBe(200)
  const { invite_time: invited, row_version: version, ...same } = await rowOf('invited@alpha')
  expect(invited).toBe(timestampIn(server.app.config.timeZone, server.clock.now))
  expect(version).toBe(before.row_version + 1)
  expect(before).toMatchObject(same)
  server.clock.now -= 5_000
})

test('fault 37p a locked field with the value that it has is no change: the rest is written, or nothing is', async () => {
  const before = await rowOf('user@alpha')
  const same = { email: before.email, title: before.title, admin: before.admin, order: before.order }
  const unchanged = await put('user@alpha', same)
  expect([unchanged.statusCode, unchanged.json().row_version]).toEqual([200, before.row_version])
  const changed = await put('user@alpha', { ...same, alert: !before.alert })
  expect([changed.statusCode, changed.json()]).toEqual([
    200,
    expect.objectContaining({ ...same, alert: !before.alert }),
  ])
  const own = await admin.send({
    method: 'PUT',
    url: `/api/m18s/company-user/${idOf('admin@alpha')}`,
    payload: { admin: true, email: 'admin@alpha.example' },
  })
  expect(own.statusCode).toBe(200)
})
