import { describe, expect, test } from 'vitest'
import type { Schema, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import * as users from '#contract/users.ts'
import { refKind } from '#contract/values.ts'
import * as z from 'zod/mini'
import { shaped } from '#server/context/response-schema.ts'
import { added, specified } from '#tests/contract/specified.ts'

const doubles = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at)
const named = (name: string) => endpoints.find((endpoint) => endpoint.name === name)
const shapeOf = (schema: Shape | undefined) => Object.keys(schema?.shape ?? {})

describe('the table of calls', () => {
  test('holds every call of the specification, and beyond it only what is said to be added', () => {
    const rows = endpoints.map(({ method, path }) => `${method} ${path}`)
    expect(rows.toSorted()).toEqual([...specified, ...added].toSorted())
  })

  test('has a name and an address for each, once', () => {
    expect(doubles(endpoints.map(({ name }) => name))).toEqual([])
    expect(doubles(endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`))).toEqual([])
  })

  test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s names every part of its path, and belongs to the authorization matrix',
    (_, endpoint) => {
      const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(shapeOf(endpoint.params)).toEqual(inPath)
      expect(endpoint.matrix).toMatch(/^Z-\d\d( Z-\d\d)*$/)
      expect(endpoint.summary).not.toBe('')
    },
  )

  test('what is open to anybody is the sign-in, a public address, or the code of a company (D57)', () => {
    const open = endpoints.filter(({ who, path }) => who === 'anybody' && path.startsWith('/api/'))
    expect(open.map(({ name }) => name).toSorted()).toEqual(['codeExists', 'grantToken', 'signOut'])
    expect(endpoints.filter(({ who, path }) => who !== 'anybody' && path.startsWith('/public/'))).toEqual([])
  })
})

test('an answer has the fields that its schema lists, and drops every other (S-16)', () => {
  const open: string[] = []
  const look = (json: unknown, where: string): void => {
    if (typeof json !== 'object' || json === null) return
    const { properties, additionalProperties } = json as Record<string, unknown>
    if (properties && additionalProperties !== false) open.push(where)
    for (const [name, inside] of Object.entries(json)) look(inside, `${where}.${name}`)
  }
  const answering = endpoints.filter(({ output }) => output !== null)
  expect(answering.length).toBeGreaterThan(50)
  for (const { name, output } of answering) look(z.toJSONSchema(output!, { io: 'output' }), name)
  expect(open).toEqual([])

  const row = z.object({ id: z.number(), inside: z.array(z.object({ name: z.string() })) })
  const stored = { id: 1, password_hash: 'x', inside: [{ name: 'a', token: 'y' }] }
  expect(shaped(row, stored, 'test')).toEqual({ id: 1, inside: [{ name: 'a' }] })
  expect(() => shaped(row, { id: '1', inside: [] }, 'test')).toThrow('test answers what its schema does not allow: id')
})

describe('lists', () => {
  const lists = endpoints.filter(({ offline }) => offline === 'list')

  test('every list fills a table, and every filled table is a list', () => {
    expect(lists.filter(({ list }) => !list)).toEqual([])
    expect(endpoints.filter(({ list, offline }) => list && offline !== 'list')).toEqual([])
    const tables = lists.map(({ list }) => list?.table ?? '')
    expect(doubles(tables)).toEqual([])
    expect(tables.toSorted()).toEqual(
      [
        'users',
        'orders',
        'backup_orders',
        'traffic',
        'backups',
        'services',
        'app_history',
        'apps',
        'modules',
        'price_lists',
      ].toSorted(),
    )
  })

  test.each(lists.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s sorts, filters and divides by columns that its rows have, and lets itself be asked so',
    (_, { list, query, params }) => {
      if (!list) throw new Error('a list without fills')
      const columns = shapeOf(list.row)
      expect(columns).toContain('id')
      expect(columns).toContain('row_version')
      expect(columns).toEqual(expect.arrayContaining(Object.keys(list.sorts)))
      expect(Object.keys(list.sorts)).toContain(list.sort[0])
      for (const filter of Object.values(list.filters))
        expect(columns).toEqual(expect.arrayContaining('columns' in filter ? [...filter.columns] : [filter.column]))
      const asked = [...shapeOf(query), ...shapeOf(params)]
      expect(asked).toEqual(expect.arrayContaining(Object.keys(list.filters)))
      expect(asked).toEqual(expect.arrayContaining(['results', 'page', 'sortField', 'sortOrder', 'since']))
      if (list.scope) {
        expect(columns).toContain(list.scope.column)
        expect(asked).toContain(list.scope.param)
      }
    },
  )
})

describe('writes', () => {
  test('every write that may queue says how it will look; uploads are bytes beside the queue (protocol 22)', () => {
    const queued = endpoints.filter(({ offline }) => offline === 'queue')
    const without = queued.filter(({ queue: queues }) => !queues)
    expect(without.every(({ encoding }) => encoding === 'multipart')).toBe(true)
    expect(queued.filter(({ queue: queues }) => queues && typeof queues.overlay !== 'function')).toEqual([])
    expect(endpoints.filter(({ queue: queues, offline }) => queues && offline !== 'queue')).toEqual([])
  })

  test('nothing both queues and takes long (protocol 39)', () => {
    expect(endpoints.filter(({ queue: queues, job: relays }) => queues && relays)).toEqual([])
  })

  test('what is secret never queues and never fills the device (S-84)', () => {
    expect(
      endpoints.filter(({ secret, queue: queues, list, offline }) => secret && (queues || list || offline === 'queue')),
    ).toEqual([])
  })

  test('passwords, one-time keys, prints, logs and exports are secret (S-77)', () => {
    const telling = endpoints.filter(
      ({ path, name }) =>
        /password|token|activate|print|\/log|export|\/:key/.test(path) && !name.endsWith('ServicePassword'),
    )
    expect(telling.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(['sendActivationMail'])
  })

  test('money, passwords and running systems are never left waiting in a queue (D89)', () => {
    const never = ['/api/payment/', '/api/contract', '/api/aws/', '/api/m18s/password', '/api/pdb/', '/api/app']
    const waiting = endpoints.filter(
      ({ queue: queues, path }) => queues && never.some((start) => path.startsWith(start)),
    )
    expect(waiting).toEqual([])
  })

  test('what changes the access of others waits in no queue, and no price list is confirmed or withdrawn from one', () => {
    const unless = (name: string, asked: unknown) => named(name)?.queue?.unless?.(asked as never)
    expect(unless('updateCompanyUser', { params: { id: 1 }, body: { admin: true } })).toBe(true)
    expect(unless('updateCompanyUser', { params: { id: 1 }, body: { title: 1 } })).toBe(false)
    expect(unless('createUser', { body: { access_level: 100 } })).toBe(true)
    expect(unless('createUser', { body: {} })).toBe(false)
    expect(unless('updatePriceList', { body: { id: 1, confirmed: true } })).toBe(true)
    expect(unless('updatePriceList', { body: { id: 1, desc: 'next year' } })).toBe(false)
    expect(unless('createPriceList', { body: { confirmed: true } })).toBe(true)
    expect(unless('deletePriceList', { params: { id: 1 }, query: { withdraw: true } })).toBe(true)
    expect(unless('deletePriceList', { params: { id: 1 }, query: { withdraw: false } })).toBe(false)
    expect(unless('deletePriceList', { params: { id: 1 } })).toBe(false)
  })
})

describe('names of rows (protocol 17)', () => {
  const params = users.deleteUser.params?.shape.id as Schema

  test('the kind is known through optional, nullable and default', () => {
    expect(refKind(params)).toBe('user')
    expect(refKind(z.optional(params))).toBe('user')
    expect(refKind(z.nullable(z.optional(params)))).toBe('user')
    expect(refKind(z._default(params, 1))).toBe('user')
    expect(refKind(z.int())).toBeUndefined()
    expect(refKind(z.nullable(z.string()))).toBeUndefined()
  })

  test('an id is a whole number from 1, or the name of a waiting write, and nothing else', () => {
    const taken = (value: unknown) => params.safeParse(value).success
    expect([1, 2_147_483_647, '~01920000-0000-7000-8000-000000000001'].every(taken)).toBe(true)
    expect(
      [0, -1, 1.5, 2_147_483_648, '1', '~', '~x', 'x~01920000-0000-7000-8000-000000000001', null].some(taken),
    ).toBe(false)
  })

  test('every queued change of a row says which one by an id of its kind, in path or body', () => {
    for (const { name, params: path, body, queue: queues } of endpoints) {
      if (!queues) continue
      const fields = { ...path?.shape, ...(body as Shape | undefined)?.shape } as Record<string, Schema>
      const found = fields.id ? refKind(fields.id) : undefined
      const asked = { params: { id: 7 }, body: { id: 7 } } as never
      expect([name, queues.target(asked), found]).toEqual([name, found ? 7 : null, found ? queues.kind : undefined])
    }
  })
})
