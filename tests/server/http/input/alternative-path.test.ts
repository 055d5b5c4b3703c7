/** Tests that PUT accepts the id of its row in the path and in the body (D55). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { findAlternativePath } from '#server/http/input/alternative-path.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
  admin = await server.signIn('admin@alpha')
})
afterAll(() => server.close())

const sendPut = (url: string, payload: object, headers = {}) =>
  admin.send({ method: 'PUT', url, payload, headers: { 'idempotency-key': randomUUID(), ...headers } })

test('Every PUT of one row by id has a path with and without the id (fault 37o)', () => {
  const putEndpoints = endpoints.filter(({ method }) => method === 'PUT')
  expect(putEndpoints.map((endpoint) => [endpoint.path, findAlternativePath(endpoint)])).toEqual(
    expect.arrayContaining([
      ['/api/m18s/user/:id', '/api/m18s/user'],
      ['/api/m18s/company/:id', '/api/m18s/company'],
      ['/api/m18s/company-user/:id', '/api/m18s/company-user'],
      ['/api/module/:id', '/api/module'],
      ['/api/pricelist', '/api/pricelist/:id'],
    ]),
  )
})

test('A user is changed by the id in the path, in the body, or in both (fault 37o)', async () => {
  const id = server.world.users['invited@alpha'] ?? 0
  for (const [url, body] of [
    [`/api/m18s/company-user/${id}`, {}],
    ['/api/m18s/company-user', { id }],
    [`/api/m18s/company-user/${id}`, { id }],
  ] as const) {
    const name = `Renamed ${randomUUID().slice(0, 8)}`
    const response = await sendPut(url, { ...body, name })
    expect([url, response.statusCode, response.body]).toEqual([url, 200, expect.stringContaining(name)])
  }
})

test("A PUT with two different ids or no id is rejected, and another company's row is not found (fault 37o)", async () => {
  const id = server.world.users['user@alpha'] ?? 0
  const otherUserId = server.world.users['second@alpha'] ?? 0
  expect((await sendPut(`/api/m18s/company-user/${id}`, { id: otherUserId, name: 'Which' })).json()).toMatchObject({
    errorCode: 'VALIDATION_ERROR',
    data: [{ field: 'id' }],
  })
  expect((await sendPut('/api/m18s/company-user', { name: 'None' })).json()).toMatchObject({
    errorCode: 'VALIDATION_ERROR',
    data: [{ field: 'id' }],
  })
  const foreignUserId = server.world.users['user@beta'] ?? 0
  expect((await sendPut('/api/m18s/company-user', { id: foreignUserId, name: 'Theirs' })).statusCode).toBe(404)
})

test('A repeated key has one effect over both paths, and a reference can replace the id (fault 37o)', async () => {
  const key = randomUUID()
  const user = { title: 0, email: 'placed@alpha.example', admin: false, order: false, alert: false, name: 'Placed' }
  const headers = { 'idempotency-key': key }
  expect((await admin.send({ method: 'POST', url: '/api/m18s/user', payload: user, headers })).statusCode).toBe(200)
  const payload = { id: `~${key}`, name: 'Placed again' }
  const changeHeaders = { 'idempotency-key': randomUUID() }
  const firstResponse = await sendPut('/api/m18s/company-user', payload, changeHeaders)
  expect([firstResponse.statusCode, firstResponse.json().name]).toEqual([200, 'Placed again'])
  const repeatedResponse = await sendPut('/api/m18s/company-user', payload, changeHeaders)
  expect(repeatedResponse.headers['idempotency-replayed']).toBe('true')
})

test('A PUT with the id of an unknown price list in its path returns NOT_FOUND (fault 37o)', async () => {
  const staff = await server.signIn('admin@m18')
  const response = await staff.send({
    method: 'PUT',
    url: '/api/pricelist/999999',
    payload: { desc: 'x' },
    headers: { 'idempotency-key': randomUUID() },
  })
  expect([response.statusCode, response.json().errorCode]).toEqual([404, 'NOT_FOUND'])
})
