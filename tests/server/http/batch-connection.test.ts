/** Tests of batches that need a real connection (protocol 23, 24). */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
let port: number
beforeAll(async () => {
  server = await startServer()
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  const address = server.fastify.server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening socket has no port')
  port = address.port
  admin = await server.signIn('admin@alpha')
})
afterAll(() => server.close())

const createInvitations = (count: number) =>
  Array.from({ length: count }, () => {
    const key = randomUUID()
    return {
      method: 'POST',
      path: '/api/m18s/user',
      key,
      body: { title: 0, name: 'One', email: `${key}@alpha.example` },
    }
  })

test('A batch is executed completely if its client stays connected', async () => {
  const items = createInvitations(8)
  const response = await fetch(`http://127.0.0.1:${port}/api/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(items),
  })
  const results = (await response.json()) as { status: number }[]
  expect(results.map(({ status }) => status)).toEqual(items.map(() => 200))
})

test('The remaining items of a batch are not attempted after the client disconnects', async () => {
  const items = createInvitations(50)
  const body = JSON.stringify(items)
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const lines = [
    'POST /api/batch HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${admin.accessToken}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  await expect.poll(() => countDone(items), { interval: 2 }).toBeGreaterThan(0)
  socket.destroy()
  // Waits until no further item is executed. The item that ran at the disconnect is still completed.
  const countAddedWithin = async (ms: number) => {
    const previousCount = await countDone(items)
    await wait(ms)
    return (await countDone(items)) - previousCount
  }
  await expect.poll(() => countAddedWithin(300)).toBe(0)
  expect(await countDone(items)).toBeLessThan(items.length)
})

const countDone = (items: { key: string }[]) =>
  runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
    const keys = items.map(({ key }) => key)
    return (await db.selectFrom('idempotency').select('id').where('key', 'in', keys).execute()).length
  })
