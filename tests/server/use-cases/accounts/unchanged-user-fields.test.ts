/** Tests that a change of a user, or a mail to a user, leaves the other fields unchanged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toTimestamp } from '#domain/time.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
  admin = await server.signIn('admin@alpha')
})
afterAll(() => server.close())

const getUserId = (userName: string) => server.world.users[userName] ?? 0
const readUser = async (userName: string) =>
  (await admin.send({ url: `/api/m18s/user?userId=${getUserId(userName)}` })).json()
const updateUser = (userName: string, payload: object) =>
  admin.send({ method: 'PUT', url: `/api/m18s/company-user/${getUserId(userName)}`, payload })

test('A resent activation mail changes only the invitation time and the version (fault 37g)', async () => {
  const userBefore = await readUser('invited@alpha')
  expect(userBefore.invite_time).toBe(userBefore.create_time)
  server.clock.now += 5_000
  const mailResponse = await admin.send({
    method: 'POST',
    url: `/api/users/activatemail/${getUserId('invited@alpha')}`,
  })
  expect(mailResponse.statusCode).toBe(200)
  const { invite_time: invitedAt, row_version: version, ...unchangedFields } = await readUser('invited@alpha')
  expect(invitedAt).toBe(toTimestamp(server.app.config.timeZone, server.clock.now))
  expect(version).toBe(userBefore.row_version + 1)
  expect(userBefore).toMatchObject(unchangedFields)
  server.clock.now -= 5_000
})

test('A locked field with its current value is accepted, and the other fields are changed (fault 37p)', async () => {
  const userBefore = await readUser('user@alpha')
  const lockedFields = {
    email: userBefore.email,
    title: userBefore.title,
    admin: userBefore.admin,
    order: userBefore.order,
  }
  const unchangedResponse = await updateUser('user@alpha', lockedFields)
  expect([unchangedResponse.statusCode, unchangedResponse.json().row_version]).toEqual([200, userBefore.row_version])
  const changeResponse = await updateUser('user@alpha', { ...lockedFields, alert: !userBefore.alert })
  expect([changeResponse.statusCode, changeResponse.json()]).toEqual([
    200,
    expect.objectContaining({ ...lockedFields, alert: !userBefore.alert }),
  ])
  const ownResponse = await admin.send({
    method: 'PUT',
    url: `/api/m18s/company-user/${getUserId('admin@alpha')}`,
    payload: { admin: true, email: 'admin@alpha.example' },
  })
  expect(ownResponse.statusCode).toBe(200)
})
