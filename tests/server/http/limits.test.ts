/** Limits on strangers (S-25, S-33, S-58, S-62), and the end of a server. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { anonymousPerMinute: 20, queriesPerMinute: 5 } })
})
afterAll(() => server.close())

const from = (remoteAddress: string, url: string, headers: Record<string, string> = {}) =>
  server.send({ url, remoteAddress, headers })

describe('a stranger', () => {
  test('may ask only so often, for what there is and for what there is not, and is told when again', async () => {
    const statuses = []
    for (let at = 0; at < 25; at++) statuses.push((await from('203.0.113.1', `/api/nothing/${at}`)).statusCode)
    expect(statuses.slice(0, 20).every((status) => status === 404)).toBe(true)
    const last = await from('203.0.113.1', '/api/m18s/user')
    expect([last.statusCode, last.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect((await from('203.0.113.2', '/api/m18s/user')).statusCode).toBe(401)
  })

  test('may ask for codes more seldom still', async () => {
    const url = '/api/query/code?resource=company&code=x'
    for (let at = 0; at < 5; at++) expect((await from('203.0.113.3', url)).statusCode).toBe(200)
    expect((await from('203.0.113.3', url)).statusCode).toBe(429)
  })

  test('does not get around it by a header that no proxy of ours wrote (S-58)', async () => {
    let last = 0
    for (let at = 0; at < 25; at++)
      last = (await from('203.0.113.4', '/api/nothing', { 'x-forwarded-for': `198.51.100.${at}` })).statusCode
    expect(last).toBe(429)
  })

  test('does not get around it by a token that was made up', async () => {
    let last = 0
    for (let at = 0; at < 30; at++)
      last = (await from('203.0.113.5', '/api/m18s/user', { authorization: `Bearer made-up-${at}` })).statusCode
    expect(last).toBe(429)
  })
})

test('who is signed in can always sign out, whatever strangers do at the same address', async () => {
  const user = await server.signIn('second@alpha')
  const out = (authorization: string) =>
    server.send({ method: 'POST', url: '/api/m18s/logout', remoteAddress: '203.0.113.6', headers: { authorization } })
  let last = 0
  for (let at = 0; at < 25; at++) last = (await out(`Bearer made-up-${at}`)).statusCode
  expect(last).toBe(429)
  expect((await out(`Bearer ${user.access}`)).statusCode).toBe(204)
  expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
})

test('a stranger with a network of IPv6 is one stranger', async () => {
  let last = 0
  for (let at = 0; at < 25; at++) last = (await from(`2001:db8::${at.toString(16)}:1`, '/api/nothing')).statusCode
  expect(last).toBe(429)
  expect((await from('2001:db8:0:1::1', '/api/nothing')).statusCode).toBe(404)
})

test('who is signed in may ask only so often for what costs much, and so may their company (S-25)', async () => {
  const ours = await startServer({ settings: { costlyPerMinute: 3 } })
  try {
    const ask = async (name: string, url = '/api/calculate') => {
      const by = await ours.signIn(name)
      const answers = []
      for (let at = 0; at < 5; at++) answers.push((await by.send({ method: 'POST', url, payload: {} })).statusCode)
      return answers
    }
    // Refused ones count as well, a company's all together.
    expect(await ask('order@m18')).toEqual([400, 400, 400, 429, 429])
    expect(await ask('second@m18')).toEqual([400, 400, 400, 429, 429])
    expect(await ask('admin@m18', '/api/module/validate')).toEqual(Array(5).fill(429))
    expect(await ask('order@beta')).toEqual([400, 400, 400, 429, 429])
    const admin = await ours.signIn('admin@m18')
    expect((await admin.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
  } finally {
    await ours.close()
  }
})

test('fault 16l what is asked of a running system counts as costly, also where it is refused', async () => {
  const ours = await startServer({ settings: { costlyPerMinute: 3 } })
  const user = await ours.signIn('order@alpha')
  const ask = (url: string) =>
    user
      .send({ method: 'POST', url, headers: { 'idempotency-key': randomUUID() } })
      .then(({ statusCode }) => statusCode)
  expect(await ask('/api/aws/reboot/999')).toBe(404)
  expect(await ask('/api/aws/reboot/999')).toBe(404)
  expect(await ask('/api/aws/service/update/999')).toBe(404)
  expect(await ask('/api/aws/reboot/999')).toBe(429)
  await ours.close()
})

test('fault 16e who may not make a costly call takes nothing of what their company may', async () => {
  const ours = await startServer({ settings: { costlyPerMinute: 3 } })
  try {
    const ask = async (name: string) => {
      const by = await ours.signIn(name)
      const answers = []
      for (let at = 0; at < 4; at++)
        answers.push((await by.send({ method: 'POST', url: '/api/calculate', payload: {} })).statusCode)
      return answers
    }
    // They may not order: what they sent is wrong, and right it would be refused.
    for (const name of ['user@alpha', 'admin@alpha']) expect(await ask(name)).toEqual([400, 400, 400, 429])
    for (const name of ['order@alpha', 'second@alpha']) expect(await ask(name)).toEqual([400, 400, 400, 429])
  } finally {
    await ours.close()
  }
})

describe('fault 16a writes', () => {
  const write = (by: SignedIn) => by.send({ method: 'PUT', url: `/api/m18s/user/${by.userId}`, payload: { title: 1 } })
  const batch = (by: SignedIn, count: number) => {
    const item = () => ({
      key: randomUUID(),
      method: 'PUT',
      path: `/api/m18s/user/${by.userId}`,
      headers: {},
      body: { title: 1 },
    })
    return by.send({ method: 'POST', url: '/api/batch', payload: Array.from({ length: count }, item) })
  }

  test('are so many a minute for each user, alone or in a batch, and twice as many for a company', async () => {
    const ours = await startServer({ settings: { writesPerMinute: 4 } })
    try {
      const one = await ours.signIn('user@alpha')
      for (let at = 0; at < 3; at++) expect((await write(one)).statusCode).toBe(200)
      const items = (await batch(one, 3)).json() as { status: number; headers: Record<string, string> }[]
      expect(items.map(({ status }) => status)).toEqual([200, 429, 424])
      expect(Number(items[1]?.headers['retry-after'])).toBeGreaterThan(0)
      const refused = await write(one)
      expect([refused.statusCode, refused.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
      expect((await one.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
      const two = await ours.signIn('second@alpha')
      for (let at = 0; at < 4; at++) expect((await write(two)).statusCode).toBe(200)
      expect((await write(await ours.signIn('order@alpha'))).statusCode).toBe(429)
      expect((await write(await ours.signIn('user@beta'))).statusCode).toBe(200)
    } finally {
      await ours.close()
    }
  })
})

test('whoever is signed in is not counted with the strangers of the same address', async () => {
  const user = await server.signIn('user@alpha')
  for (let at = 0; at < 40; at++) expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
})

test('with a declared proxy the address behind it is the one that counts', async () => {
  const behind = await startServer({ settings: { anonymousPerMinute: 2 }, env: { TRUST_PROXY: '1' } })
  try {
    const ask = (address: string) => behind.send({ url: '/api/nothing', headers: { 'x-forwarded-for': address } })
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'])
      expect((await ask(address)).statusCode).toBe(404)
    await ask('198.51.100.1')
    expect((await ask('198.51.100.1')).statusCode).toBe(429)
    // Only the nearest hop is believed: what stands before it was written by the stranger.
    expect((await ask('198.51.100.77, 198.51.100.1')).statusCode).toBe(429)
  } finally {
    await behind.close()
  }
})
