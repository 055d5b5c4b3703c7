/** Tests of the limits for anonymous requests and for costly calls (S-25, S-33, S-58, S-62). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { anonymousPerMinute: 20, queriesPerMinute: 5 } })
})
afterAll(() => server.close())

const sendFrom = (remoteAddress: string, url: string, headers: Record<string, string> = {}) =>
  server.send({ url, remoteAddress, headers })

describe('the limit of anonymous requests', () => {
  test('applies to existing and unknown paths, and returns Retry-After', async () => {
    const statuses = []
    for (let index = 0; index < 25; index++)
      statuses.push((await sendFrom('203.0.113.1', `/api/nothing/${index}`)).statusCode)
    expect(statuses.slice(0, 20).every((status) => status === 404)).toBe(true)
    const lastResponse = await sendFrom('203.0.113.1', '/api/m18s/user')
    expect([lastResponse.statusCode, lastResponse.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(lastResponse.headers['retry-after'])).toBeGreaterThan(0)
    expect((await sendFrom('203.0.113.2', '/api/m18s/user')).statusCode).toBe(401)
  })

  test('is lower for code queries', async () => {
    const url = '/api/query/code?resource=company&code=x'
    for (let index = 0; index < 5; index++) expect((await sendFrom('203.0.113.3', url)).statusCode).toBe(200)
    expect((await sendFrom('203.0.113.3', url)).statusCode).toBe(429)
  })

  test('cannot be bypassed with a header that no trusted proxy wrote (S-58)', async () => {
    let lastStatus = 0
    for (let index = 0; index < 25; index++)
      lastStatus = (await sendFrom('203.0.113.4', '/api/nothing', { 'x-forwarded-for': `198.51.100.${index}` }))
        .statusCode
    expect(lastStatus).toBe(429)
  })

  test('cannot be bypassed with a made-up token', async () => {
    let lastStatus = 0
    for (let index = 0; index < 30; index++)
      lastStatus = (await sendFrom('203.0.113.5', '/api/m18s/user', { authorization: `Bearer made-up-${index}` }))
        .statusCode
    expect(lastStatus).toBe(429)
  })
})

test('A logged-in user can always log out, even if strangers flood from the same address', async () => {
  const user = await server.signIn('second@alpha')
  const signOut = (authorization: string) =>
    server.send({ method: 'POST', url: '/api/m18s/logout', remoteAddress: '203.0.113.6', headers: { authorization } })
  let lastStatus = 0
  for (let index = 0; index < 25; index++) lastStatus = (await signOut(`Bearer made-up-${index}`)).statusCode
  expect(lastStatus).toBe(429)
  expect((await signOut(`Bearer ${user.accessToken}`)).statusCode).toBe(204)
  expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
})

test('A whole IPv6 network (/64) is limited like one address', async () => {
  let lastStatus = 0
  for (let index = 0; index < 25; index++)
    lastStatus = (await sendFrom(`2001:db8::${index.toString(16)}:1`, '/api/nothing')).statusCode
  expect(lastStatus).toBe(429)
  expect((await sendFrom('2001:db8:0:1::1', '/api/nothing')).statusCode).toBe(404)
})

test('Costly calls are limited per user and per company (S-25)', async () => {
  const limitedServer = await startServer({ settings: { costlyPerMinute: 3 } })
  try {
    const sendFive = async (name: string, url = '/api/calculate') => {
      const sender = await limitedServer.signIn(name)
      const statuses = []
      for (let index = 0; index < 5; index++)
        statuses.push((await sender.send({ method: 'POST', url, payload: {} })).statusCode)
      return statuses
    }
    // Rejected calls are counted too, and the calls of all users of a company are added up.
    expect(await sendFive('order@m18')).toEqual([400, 400, 400, 429, 429])
    expect(await sendFive('second@m18')).toEqual([400, 400, 400, 429, 429])
    expect(await sendFive('admin@m18', '/api/module/validate')).toEqual(Array(5).fill(429))
    expect(await sendFive('order@beta')).toEqual([400, 400, 400, 429, 429])
    const admin = await limitedServer.signIn('admin@m18')
    expect((await admin.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
  } finally {
    await limitedServer.close()
  }
})

test('Operations on a running service count as costly, even if they are refused (fault 16l)', async () => {
  const limitedServer = await startServer({ settings: { costlyPerMinute: 3 } })
  const user = await limitedServer.signIn('order@alpha')
  const getStatus = (url: string) =>
    user
      .send({ method: 'POST', url, headers: { 'idempotency-key': randomUUID() } })
      .then(({ statusCode }) => statusCode)
  expect(await getStatus('/api/aws/reboot/999')).toBe(404)
  expect(await getStatus('/api/aws/reboot/999')).toBe(404)
  expect(await getStatus('/api/aws/service/update/999')).toBe(404)
  expect(await getStatus('/api/aws/reboot/999')).toBe(429)
  await limitedServer.close()
})

test('A costly call refused for a missing right does not reduce the share of the company (fault 16e)', async () => {
  const limitedServer = await startServer({ settings: { costlyPerMinute: 3 } })
  try {
    const sendFour = async (name: string) => {
      const sender = await limitedServer.signIn(name)
      const statuses = []
      for (let index = 0; index < 4; index++)
        statuses.push((await sender.send({ method: 'POST', url: '/api/calculate', payload: {} })).statusCode)
      return statuses
    }
    // These users may not order: their input is invalid, and valid input would be refused as well.
    for (const name of ['user@alpha', 'admin@alpha']) expect(await sendFour(name)).toEqual([400, 400, 400, 429])
    for (const name of ['order@alpha', 'second@alpha']) expect(await sendFour(name)).toEqual([400, 400, 400, 429])
  } finally {
    await limitedServer.close()
  }
})

describe('the limit of writes (fault 16a)', () => {
  const sendWrite = (sender: SignedIn) =>
    sender.send({ method: 'PUT', url: `/api/m18s/user/${sender.userId}`, payload: { title: 1 } })
  const sendBatch = (sender: SignedIn, count: number) => {
    const createItem = () => ({
      key: randomUUID(),
      method: 'PUT',
      path: `/api/m18s/user/${sender.userId}`,
      headers: {},
      body: { title: 1 },
    })
    return sender.send({ method: 'POST', url: '/api/batch', payload: Array.from({ length: count }, createItem) })
  }

  test('counts writes per user, single or in a batch, and is twice as high per company', async () => {
    const limitedServer = await startServer({ settings: { writesPerMinute: 4 } })
    try {
      const firstUser = await limitedServer.signIn('user@alpha')
      for (let index = 0; index < 3; index++) expect((await sendWrite(firstUser)).statusCode).toBe(200)
      const items = (await sendBatch(firstUser, 3)).json() as { status: number; headers: Record<string, string> }[]
      expect(items.map(({ status }) => status)).toEqual([200, 429, 424])
      expect(Number(items[1]?.headers['retry-after'])).toBeGreaterThan(0)
      const refusedResponse = await sendWrite(firstUser)
      expect([refusedResponse.statusCode, refusedResponse.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
      expect((await firstUser.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
      const secondUser = await limitedServer.signIn('second@alpha')
      for (let index = 0; index < 4; index++) expect((await sendWrite(secondUser)).statusCode).toBe(200)
      expect((await sendWrite(await limitedServer.signIn('order@alpha'))).statusCode).toBe(429)
      expect((await sendWrite(await limitedServer.signIn('user@beta'))).statusCode).toBe(200)
    } finally {
      await limitedServer.close()
    }
  })
})

test('Requests of a logged-in user are not counted as anonymous requests of their address', async () => {
  const user = await server.signIn('user@alpha')
  for (let index = 0; index < 40; index++) expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
})

test('Requests through a declared proxy are counted by the client address', async () => {
  const proxiedServer = await startServer({ settings: { anonymousPerMinute: 2 }, env: { TRUST_PROXY: '1' } })
  try {
    const sendThroughProxy = (address: string) =>
      proxiedServer.send({ url: '/api/nothing', headers: { 'x-forwarded-for': address } })
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'])
      expect((await sendThroughProxy(address)).statusCode).toBe(404)
    await sendThroughProxy('198.51.100.1')
    expect((await sendThroughProxy('198.51.100.1')).statusCode).toBe(429)
    // Only the address that the nearest proxy added is trusted. The client can write anything before it.
    expect((await sendThroughProxy('198.51.100.77, 198.51.100.1')).statusCode).toBe(429)
  } finally {
    await proxiedServer.close()
  }
})
