/** Rows that do not fit the schema of a response: they are reported, and the rest is returned. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { headers } from '#contract/headers.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { shapeRows } from '#server/context/response-schema.ts'
import { bought, openShop, paid, readOrder, wish } from '#tests/support/orders/shop-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
let buyer: SignedIn
beforeAll(async () => {
  server = await startServer()
  await openShop(server)
  admin = await server.signIn('admin@alpha')
  buyer = await server.signIn('order@alpha')
})
afterAll(() => server.close())

/** As an older version, or somebody at the database, may have left it. */
const spoil = (change: ReturnType<typeof sql>) =>
  inTransaction(server.app, { role: 'portal_system' }, (db) => change.execute(db))

const logged = (endpoint: string) =>
  server
    .logged()
    .split('\n')
    .flatMap((line) => (line.includes('do not fit the response schema') ? [JSON.parse(line)] : []))
    .filter((line) => line.endpoint === endpoint)

describe('fault 3b a list of users', () => {
  let url: string
  let bad: number
  const rowIds = (rows: { id: number }[]) => rows.map(({ id }) => id).toSorted((a, b) => a - b)
  let all: number[]
  beforeAll(async () => {
    url = `/api/m18s/company/${server.world.companies.alpha}/users`
    all = rowIds((await admin.send({ url: `${url}?results=50` })).json().data)
    bad = server.world.users['waiting@alpha'] ?? 0
    await spoil(sql`update portal_user set name = ${'x'.repeat(101)} where id = ${bad}`)
  })

  test('shows all rows but the one, counts it, and says how many are missing and which', async () => {
    const answer = await admin.send({ url: `${url}?results=50` })
    expect(answer.statusCode).toBe(200)
    expect(rowIds(answer.json().data)).toEqual(all.filter((id) => id !== bad))
    expect(answer.json().count).toBe(all.length)
    expect([answer.headers[headers.rowsLeftOut], answer.headers[headers.leftOutIds]]).toEqual(['1', String(bad)])
    expect(logged('listUsers')[0]).toMatchObject({ level: 50, leftOut: 1, rows: [{ id: bad, fields: 'name' }] })
    // An operator finds the row by its id; what stands in it is nobody's business.
    expect(server.logged()).not.toContain('xxxxxxxxxx')
  })

  test('says the same of changes since a number', async () => {
    const answer = await admin.send({ url: `${url}?since=` })
    expect(answer.statusCode).toBe(200)
    expect(rowIds(answer.json().changed)).not.toContain(bad)
    expect(answer.json().changed.length).toBeGreaterThanOrEqual(all.length - 1)
    expect(answer.headers[headers.rowsLeftOut]).toBe('1')
    expect(answer.json().upto).toBeGreaterThan(0)
  })

  test('goes on as a stream to its last line, which says so', async () => {
    const answer = await admin.send({ url: `${url}?since=`, headers: { accept: 'application/x-ndjson' } })
    const lines = answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const last = lines.pop()
    expect([last.count, last.left_out]).toEqual([lines.length, 1])
    expect(rowIds(lines.map(({ row }) => row))).not.toContain(bad)
    expect(logged('listUsers').length).toBeGreaterThanOrEqual(3)
  })

  test('of whole pages says nothing', async () => {
    const answer = await admin.send({ url: `${url}?results=1&searchText=second` })
    expect(answer.json().data).toHaveLength(1)
    expect(answer.headers).not.toHaveProperty(headers.rowsLeftOut)
  })

  test('shows nothing of the row by itself: that stays an error, with its number', async () => {
    const answer = await admin.send({ url: `/api/m18s/user?userId=${bad}` })
    expect([answer.statusCode, answer.json().errorCode]).toEqual([500, 'SERVER_ERROR'])
    expect(answer.headers[headers.requestId]).toMatch(/^[\w-]{36}$/)
  })
})

test('fault 3b a history shows the other contracts, and the row of the list stays', async () => {
  const first = await bought(server, buyer, { code: 'past1', name: 'Past' })
  const change = { type: 'change', contract_id: first.contract_id, users: 20, modules: wish.modules }
  const made = await buyer.send({ method: 'POST', url: '/api/contract', payload: change })
  expect(made.statusCode).toBe(200)
  await paid(server, made.json())
  const { contract_id } = await readOrder(buyer, made.json().id)
  const history = () => buyer.send({ url: `/api/contract/${contract_id}/history` })
  expect((await history()).json()).toHaveLength(2)
  await spoil(sql`update contract set users = 100000000 where id = ${first.contract_id}`)
  const answer = await history()
  expect(answer.statusCode).toBe(200)
  expect(answer.json().map(({ id }: { id: number }) => id)).toEqual([contract_id])
  expect(answer.headers[headers.leftOutIds]).toBe(String(first.contract_id))
  expect(logged('getContractHistory')[0].rows).toEqual([{ id: first.contract_id, fields: 'users' }])
  expect((await buyer.send({ url: `/api/company/${server.world.companies.alpha}/sorder` })).json().count).toBe(1)
})

describe('fault 3b what is left out', () => {
  const row = z.object({ id: z.int(), parts: z.array(z.object({ n: z.int() })), row_version: z.int() })
  const page = z.union([
    z.object({ count: z.int(), data: z.array(row) }),
    z.object({ changed: z.array(row), gone: z.array(z.int()), upto: z.int() }),
  ])
  const good = { id: 1, parts: [{ n: 1 }], row_version: 1 }

  test('is the row and never a part of it', () => {
    const bad = { id: 2, parts: [{ n: 1 }, { n: 'x' }, { n: null }], row_version: 1 }
    const { body, leftOut } = shapeRows(page, { count: 2, data: [bad, good] }, 'test')
    expect([body, leftOut]).toEqual([{ count: 2, data: [good] }, [{ id: 2, fields: 'parts.1.n, parts.2.n' }]])
  })

  test('are more rows than good ones, rows without an id, and what is no row at all', () => {
    const bad = [{ ...good, id: 'x' }, null, 7, { ...good, row_version: null }, { parts: [] }]
    const { body, leftOut } = shapeRows(page, { changed: [...bad, good], gone: [9], upto: 3 }, 'test')
    expect(body).toEqual({ changed: [good], gone: [9], upto: 3 })
    expect(leftOut.map(({ id }) => id)).toEqual(['x', null, null, 1, null])
    expect(shapeRows(page, { count: 1, data: [{}] }, 'test').body).toEqual({ count: 1, data: [] })
  })

  test('are rows inside a detail, but for one that is edited as a whole', () => {
    const detail = { output: z.object({ keep: z.int(), restores: z.array(z.object({ time: z.string() })) }) }
    const body = { keep: 1, restores: [{ time: 1 }, { time: 'now' }] }
    expect(shapeRows(detail.output, body, 'test').body).toEqual({ keep: 1, restores: [{ time: 'now' }] })
    expect(() => shapeRows(row, { ...good, parts: [{ n: 'x' }] }, 'test')).toThrow('parts.0.n')
  })

  test('is nothing where the answer itself is wrong', () => {
    for (const body of [{ count: '1', data: [good] }, { data: [good] }, { changed: [good], gone: ['x'], upto: 1 }, []])
      expect(() => shapeRows(page, body, 'test')).toThrow('test answers what its schema does not allow')
    expect(() => shapeRows(z.object({ names: z.array(z.string()) }), { names: [1] }, 'test')).toThrow('names.0')
  })
})

test('fault 3b every list of the contract leaves one bad row out', () => {
  const lists = endpoints.filter(({ list, output }: Endpoint) => list && output)
  expect(lists.length).toBeGreaterThan(8)
  for (const { name, output } of lists)
    for (const body of [
      { count: 1, data: [{ id: 3 }] },
      { changed: [{ id: 3 }], gone: [], upto: 1 },
    ])
      expect([name, shapeRows(output ?? z.null(), body, name).leftOut.length]).toEqual([name, 1])
})
