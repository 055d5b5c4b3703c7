import { describe, expect, test } from 'vitest'
import type { ValueSchema, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import * as users from '#contract/users.ts'
import { getRefKind } from '#contract/values.ts'
import * as z from 'zod/mini'
import { applySchema } from '#server/context/response-schema.ts'
import { addedCalls, specifiedCalls } from '#tests/contract/specified.ts'

const findDuplicates = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index)
const getEndpoint = (name: string) => endpoints.find((endpoint) => endpoint.name === name)
const getFieldNames = (schema: ObjectSchema | undefined) => Object.keys(schema?.shape ?? {})

describe('the endpoint table', () => {
  test('contains every call of the specification, and only the listed additions', () => {
    const rows = endpoints.map(({ method, path }) => `${method} ${path}`)
    expect(rows.toSorted()).toEqual([...specifiedCalls, ...addedCalls].toSorted())
  })

  test('gives each endpoint a unique name and a unique address', () => {
    expect(findDuplicates(endpoints.map(({ name }) => name))).toEqual([])
    expect(findDuplicates(endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`))).toEqual([])
  })

  test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    'gives %s all its path parameters and a row of the authorization matrix',
    (_, endpoint) => {
      const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(getFieldNames(endpoint.params)).toEqual(inPath)
      expect(endpoint.matrix).toMatch(/^Z-\d\d( Z-\d\d)*$/)
      expect(endpoint.summary).not.toBe('')
    },
  )

  test('opens only login, logout and the company code check under /api to everybody (D57)', () => {
    const openEndpoints = endpoints.filter(
      ({ access: accessRule, path }) => accessRule === 'anybody' && path.startsWith('/api/'),
    )
    expect(openEndpoints.map(({ name }) => name).toSorted()).toEqual(['codeExists', 'grantToken', 'signOut'])
    expect(
      endpoints.filter(({ access: accessRule, path }) => accessRule !== 'anybody' && path.startsWith('/public/')),
    ).toEqual([])
  })
})

test('A response has only the fields that its schema lists (S-16)', () => {
  const openObjects: string[] = []
  const findOpenObjects = (json: unknown, location: string): void => {
    if (typeof json !== 'object' || json === null) return
    const { properties, additionalProperties } = json as Record<string, unknown>
    if (properties && additionalProperties !== false) openObjects.push(location)
    for (const [name, innerJson] of Object.entries(json)) findOpenObjects(innerJson, `${location}.${name}`)
  }
  const respondingEndpoints = endpoints.filter(({ output }) => output !== null)
  expect(respondingEndpoints.length).toBeGreaterThan(50)
  for (const { name, output } of respondingEndpoints) findOpenObjects(z.toJSONSchema(output!, { io: 'output' }), name)
  expect(openObjects).toEqual([])

  const row = z.object({ id: z.number(), inside: z.array(z.object({ name: z.string() })) })
  const stored = { id: 1, password_hash: 'x', inside: [{ name: 'a', token: 'y' }] }
  expect(applySchema(row, stored, 'test')).toEqual({ id: 1, inside: [{ name: 'a' }] })
  expect(() => applySchema(row, { id: '1', inside: [] }, 'test')).toThrow(
    'the response of test does not match its schema: id',
  )
})

describe('List endpoints', () => {
  const lists = endpoints.filter(({ offline }) => offline === 'list')

  test('Every list fills a different table, and only lists fill tables', () => {
    expect(lists.filter(({ list }) => !list)).toEqual([])
    expect(endpoints.filter(({ list, offline }) => list && offline !== 'list')).toEqual([])
    const tables = lists.map(({ list }) => list?.table ?? '')
    expect(findDuplicates(tables)).toEqual([])
    expect(tables.toSorted()).toEqual(
      [
        'users',
        'orders',
        'customers',
        'customer_orders',
        'customer_payments',
        'invoices',
        'customer_invoices',
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
    '%s sorts, filters and scopes by columns of its rows, and accepts these parameters',
    (_, { list, query, params }) => {
      if (!list) throw new Error('a list without fills')
      const columns = getFieldNames(list.row)
      expect(columns).toContain('id')
      expect(columns).toContain('row_version')
      expect(columns).toEqual(expect.arrayContaining(Object.keys(list.sorts)))
      expect(Object.keys(list.sorts)).toContain(list.sort[0])
      for (const filter of Object.values(list.filters))
        expect(columns).toEqual(expect.arrayContaining('columns' in filter ? [...filter.columns] : [filter.column]))
      const inputFields = [...getFieldNames(query), ...getFieldNames(params)]
      expect(inputFields).toEqual(expect.arrayContaining(Object.keys(list.filters)))
      expect(inputFields).toEqual(expect.arrayContaining(['results', 'page', 'sortField', 'sortOrder', 'since']))
      if (list.scope) {
        expect(columns).toContain(list.scope.column)
        expect(inputFields).toContain(list.scope.param)
      }
    },
  )
})

describe('Write endpoints', () => {
  test('Every write that may queue has an overlay, except uploads (protocol 22)', () => {
    const queuedEndpoints = endpoints.filter(({ offline }) => offline === 'queue')
    const endpointsWithoutQueue = queuedEndpoints.filter(({ queue: queues }) => !queues)
    expect(endpointsWithoutQueue.every(({ encoding }) => encoding === 'multipart')).toBe(true)
    expect(queuedEndpoints.filter(({ queue: queues }) => queues && typeof queues.overlay !== 'function')).toEqual([])
    expect(endpoints.filter(({ queue: queues, offline }) => queues && offline !== 'queue')).toEqual([])
  })

  test('No write may both queue and run as a long request (protocol 39)', () => {
    expect(endpoints.filter(({ queue: queues, job: relays }) => queues && relays)).toEqual([])
  })

  test('Secret endpoints never queue and never fill a list on the device (S-84)', () => {
    expect(
      endpoints.filter(({ secret, queue: queues, list, offline }) => secret && (queues || list || offline === 'queue')),
    ).toEqual([])
  })

  test('Passwords, one-time keys, prints, logs and exports are secret (S-77)', () => {
    const secretEndpoints = endpoints.filter(
      ({ path, name }) =>
        /password|token|activate|print|\/log|export|\/:key/.test(path) && !name.endsWith('ServicePassword'),
    )
    expect(secretEndpoints.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(['sendActivationMail'])
  })

  test('Writes about money, passwords and running systems never queue (D89)', () => {
    const pathPrefixes = ['/api/payment/', '/api/contract', '/api/aws/', '/api/m18s/password', '/api/pdb/', '/api/app']
    const queuedEndpoints = endpoints.filter(
      ({ queue: queues, path }) => queues && pathPrefixes.some((start) => path.startsWith(start)),
    )
    expect(queuedEndpoints).toEqual([])
  })

  test('Changes of access, and confirmation or withdrawal of a price list, never queue', () => {
    const mustNotQueue = (name: string, input: unknown) => getEndpoint(name)?.queue?.mustNotQueue?.(input as never)
    expect(mustNotQueue('updateCompanyUser', { params: { id: 1 }, body: { admin: true } })).toBe(true)
    expect(mustNotQueue('updateCompanyUser', { params: { id: 1 }, body: { title: 1 } })).toBe(false)
    expect(mustNotQueue('createUser', { body: { access_level: 100 } })).toBe(true)
    expect(mustNotQueue('createUser', { body: {} })).toBe(false)
    expect(mustNotQueue('updatePriceList', { body: { id: 1, confirmed: true } })).toBe(true)
    expect(mustNotQueue('updatePriceList', { body: { id: 1, desc: 'next year' } })).toBe(false)
    expect(mustNotQueue('createPriceList', { body: { confirmed: true } })).toBe(true)
    expect(mustNotQueue('deletePriceList', { params: { id: 1 }, query: { withdraw: true } })).toBe(true)
    expect(mustNotQueue('deletePriceList', { params: { id: 1 }, query: { withdraw: false } })).toBe(false)
    expect(mustNotQueue('deletePriceList', { params: { id: 1 } })).toBe(false)
  })
})

describe('References to rows (protocol 17)', () => {
  const params = users.deleteUser.params?.shape.id as ValueSchema

  test('The kind of a referenced row is found through optional, nullable and default', () => {
    expect(getRefKind(params)).toBe('user')
    expect(getRefKind(z.optional(params))).toBe('user')
    expect(getRefKind(z.nullable(z.optional(params)))).toBe('user')
    expect(getRefKind(z._default(params, 1))).toBe('user')
    expect(getRefKind(z.int())).toBeUndefined()
    expect(getRefKind(z.nullable(z.string()))).toBeUndefined()
  })

  test('A reference is an integer from 1, or the name of a waiting write', () => {
    const isAccepted = (value: unknown) => params.safeParse(value).success
    expect([1, 2_147_483_647, '~01920000-0000-7000-8000-000000000001'].every(isAccepted)).toBe(true)
    expect(
      [0, -1, 1.5, 2_147_483_648, '1', '~', '~x', 'x~01920000-0000-7000-8000-000000000001', null].some(isAccepted),
    ).toBe(false)
  })

  test('Every queued change names its row by an id of its kind, in the path or the body', () => {
    for (const { name, params: path, body, queue: queues } of endpoints) {
      if (!queues) continue
      const fields = { ...path?.shape, ...(body as ObjectSchema | undefined)?.shape } as Record<string, ValueSchema>
      const refKind = fields.id ? getRefKind(fields.id) : undefined
      const input = { params: { id: 7 }, body: { id: 7 } } as never
      expect([name, queues.target(input), refKind]).toEqual([
        name,
        refKind ? 7 : null,
        refKind ? queues.kind : undefined,
      ])
    }
  })
})
