/** Tests rows that do not match the schema of a response: they are reported, and all other rows are returned. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { headers } from '#contract/headers.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyRowSchema } from '#server/context/response-schema.ts'
import { buyOrder, openShop, payOrder, readOrder, orderInput } from '#tests/support/orders/shop-data.ts'
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

/** Writes a bad row, as an older version or somebody with database access may have left it. */
const spoilRows = (statement: ReturnType<typeof sql>) =>
  runInTransaction(server.app, { role: 'portal_system' }, (db) => statement.execute(db))

const readLogLines = (endpoint: string) =>
  server
    .readLog()
    .split('\n')
    .flatMap((line) => (line.includes('"event":"invalid_rows_omitted"') ? [JSON.parse(line)] : []))
    .filter((line) => line.endpoint === endpoint)

describe('a list of users with a bad row (fault 3b)', () => {
  let url: string
  let badId: number
  const getRowIds = (rows: { id: number }[]) => rows.map(({ id }) => id).toSorted((a, b) => a - b)
  let allIds: number[]
  beforeAll(async () => {
    url = `/api/m18s/company/${server.world.companies.alpha}/users`
    allIds = getRowIds((await admin.send({ url: `${url}?results=50` })).json().data)
    badId = server.world.users['waiting@alpha'] ?? 0
    await spoilRows(sql`update portal_user set name = ${'x'.repeat(101)} where id = ${badId}`)
  })

  test('returns all other rows, counts the bad row, and names it in the headers', async () => {
    const response = await admin.send({ url: `${url}?results=50` })
    expect(response.statusCode).toBe(200)
    expect(getRowIds(response.json().data)).toEqual(allIds.filter((id) => id !== badId))
    expect(response.json().count).toBe(allIds.length)
    expect([response.headers[headers.rowsLeftOut], response.headers[headers.leftOutIds]]).toEqual(['1', String(badId)])
    expect(readLogLines('listUsers')[0]).toMatchObject({ level: 50, leftOut: 1, rows: [{ id: badId, fields: 'name' }] })
    // The log names the row by its id, but does not contain its content.
    expect(server.readLog()).not.toContain('xxxxxxxxxx')
  })

  test('leaves the row out of the changes since a number', async () => {
    const response = await admin.send({ url: `${url}?since=` })
    expect(response.statusCode).toBe(200)
    expect(getRowIds(response.json().changed)).not.toContain(badId)
    expect(response.json().changed.length).toBeGreaterThanOrEqual(allIds.length - 1)
    expect(response.headers[headers.rowsLeftOut]).toBe('1')
    expect(response.json().upto).toBeGreaterThan(0)
  })

  test('reports the row in the last line of a stream', async () => {
    const response = await admin.send({ url: `${url}?since=`, headers: { accept: 'application/x-ndjson' } })
    const lines = response.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const lastLine = lines.pop()
    expect([lastLine.count, lastLine.left_out]).toEqual([lines.length, 1])
    expect(getRowIds(lines.map(({ row }) => row))).not.toContain(badId)
    expect(readLogLines('listUsers').length).toBeGreaterThanOrEqual(3)
  })

  test('reports nothing for a page without the row', async () => {
    const response = await admin.send({ url: `${url}?results=1&searchText=second` })
    expect(response.json().data).toHaveLength(1)
    expect(response.headers).not.toHaveProperty(headers.rowsLeftOut)
  })

  test('returns an error with a request id when the row is read alone', async () => {
    const response = await admin.send({ url: `/api/m18s/user?userId=${badId}` })
    expect([response.statusCode, response.json().errorCode]).toEqual([500, 'SERVER_ERROR'])
    expect(response.headers[headers.requestId]).toMatch(/^[\w-]{36}$/)
  })
})

test('A contract history leaves out a bad contract, and the order list still has its row (fault 3b)', async () => {
  const firstOrder = await buyOrder(server, buyer, { code: 'past1', name: 'Past' })
  const changeInput = { type: 'change', contract_id: firstOrder.contract_id, users: 20, modules: orderInput.modules }
  const changeResponse = await buyer.send({ method: 'POST', url: '/api/contract', payload: changeInput })
  expect(changeResponse.statusCode).toBe(200)
  await payOrder(server, changeResponse.json())
  const { contract_id } = await readOrder(buyer, changeResponse.json().id)
  const getHistory = () => buyer.send({ url: `/api/contract/${contract_id}/history` })
  expect((await getHistory()).json()).toHaveLength(2)
  await spoilRows(sql`update contract set users = 100000000 where id = ${firstOrder.contract_id}`)
  const response = await getHistory()
  expect(response.statusCode).toBe(200)
  expect(response.json().map(({ id }: { id: number }) => id)).toEqual([contract_id])
  expect(response.headers[headers.leftOutIds]).toBe(String(firstOrder.contract_id))
  expect(readLogLines('getContractHistory')[0].rows).toEqual([{ id: firstOrder.contract_id, fields: 'users' }])
  expect((await buyer.send({ url: `/api/company/${server.world.companies.alpha}/sorder` })).json().count).toBe(1)
})

describe('applyRowSchema (fault 3b)', () => {
  const rowSchema = z.object({ id: z.int(), parts: z.array(z.object({ n: z.int() })), row_version: z.int() })
  const pageSchema = z.union([
    z.object({ count: z.int(), data: z.array(rowSchema) }),
    z.object({ changed: z.array(rowSchema), gone: z.array(z.int()), upto: z.int() }),
  ])
  const goodRow = { id: 1, parts: [{ n: 1 }], row_version: 1 }

  test('leaves out a complete row, never a part of it', () => {
    const badRow = { id: 2, parts: [{ n: 1 }, { n: 'x' }, { n: null }], row_version: 1 }
    const { body, leftOutRows: leftOut } = applyRowSchema(pageSchema, { count: 2, data: [badRow, goodRow] }, 'test')
    expect([body, leftOut]).toEqual([{ count: 2, data: [goodRow] }, [{ id: 2, fields: 'parts.1.n, parts.2.n' }]])
  })

  test('leaves out any number of bad rows, also rows without an id and values that are not rows', () => {
    const badRows = [{ ...goodRow, id: 'x' }, null, 7, { ...goodRow, row_version: null }, { parts: [] }]
    const { body, leftOutRows: leftOut } = applyRowSchema(
      pageSchema,
      { changed: [...badRows, goodRow], gone: [9], upto: 3 },
      'test',
    )
    expect(body).toEqual({ changed: [goodRow], gone: [9], upto: 3 })
    expect(leftOut.map(({ id }) => id)).toEqual(['x', null, null, 1, null])
    expect(applyRowSchema(pageSchema, { count: 1, data: [{}] }, 'test').body).toEqual({ count: 1, data: [] })
  })

  test('leaves out bad rows inside a detail response, unless the detail is edited as a unit', () => {
    const detailEndpoint = { output: z.object({ keep: z.int(), restores: z.array(z.object({ time: z.string() })) }) }
    const body = { keep: 1, restores: [{ time: 1 }, { time: 'now' }] }
    expect(applyRowSchema(detailEndpoint.output, body, 'test').body).toEqual({ keep: 1, restores: [{ time: 'now' }] })
    expect(() => applyRowSchema(rowSchema, { ...goodRow, parts: [{ n: 'x' }] }, 'test')).toThrow('parts.0.n')
  })

  test('throws if the response itself does not match its schema', () => {
    for (const body of [
      { count: '1', data: [goodRow] },
      { data: [goodRow] },
      { changed: [goodRow], gone: ['x'], upto: 1 },
      [],
    ])
      expect(() => applyRowSchema(pageSchema, body, 'test')).toThrow('the response of test does not match its schema')
    expect(() => applyRowSchema(z.object({ names: z.array(z.string()) }), { names: [1] }, 'test')).toThrow('names.0')
  })
})

test('Every list of the contract leaves out a bad row (fault 3b)', () => {
  const lists = endpoints.filter(({ list, output }: Endpoint) => list && output)
  expect(lists.length).toBeGreaterThan(8)
  for (const { name, output } of lists)
    for (const body of [
      { count: 1, data: [{ id: 3 }] },
      { changed: [{ id: 3 }], gone: [], upto: 1 },
    ])
      expect([name, applyRowSchema(output ?? z.null(), body, name).leftOutRows.length]).toEqual([name, 1])
})
