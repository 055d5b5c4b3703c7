import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { fromPairs, matcher, toWire } from '#contract/http-mapping.ts'
import { anything } from '#tests/contract/arbitrary.ts'

const find = matcher(endpoints)
// Bytes are put together by whoever has them (protocol 22).
const sayable = endpoints.filter(({ encoding }) => encoding !== 'multipart')

const asked = ({ params, query, body }: Endpoint) =>
  fc
    .record({
      ...(params && { params: anything(params) }),
      ...(query && { query: anything(query) }),
      ...(body && { body: anything(body) }),
    })
    // What JSON can say: it knows no -0.
    .map((said) => JSON.parse(JSON.stringify(said)) as { params?: object; query?: object; body?: unknown })

const read = (shape: Shape, pairs: Iterable<[string, string]>) => {
  const { values, repeated } = fromPairs(shape, pairs)
  expect(repeated).toEqual([])
  return shape.parse(values)
}

describe('what the page asks arrives as it was asked', () => {
  test.each(sayable.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_, endpoint) => {
    fc.assert(
      fc.property(asked(endpoint), (said) => {
        const wire = toWire(endpoint, said as never)
        const url = new URL(wire.path, 'http://127.0.0.1')
        const found = find(wire.method, url.pathname)
        expect(found?.endpoint.name).toBe(endpoint.name)
        if (endpoint.params)
          expect(read(endpoint.params, Object.entries(found?.params ?? {}))).toEqual(endpoint.params.parse(said.params))
        if (endpoint.query) expect(read(endpoint.query, url.searchParams)).toEqual(endpoint.query.parse(said.query))
        if (endpoint.body) expect(bodyOf(endpoint, wire.body ?? '')).toEqual(endpoint.body.parse(said.body))
      }),
      { numRuns: 60 },
    )
  })
})

function bodyOf({ body, encoding }: Endpoint, bytes: string): unknown {
  if (encoding === 'form') return read(body as Shape, new URLSearchParams(bytes))
  return body?.parse(JSON.parse(bytes))
}

describe('addresses', () => {
  const nameAt = (method: string, path: string) => find(method, path)?.endpoint.name

  test('a literal segment wins over a parameter', () => {
    expect(nameAt('GET', '/api/pdb/traffic')).toBe('listTraffic')
    expect(nameAt('GET', '/api/pdb/traffic/5')).toBe('getTraffic')
    expect(nameAt('GET', '/api/module/info')).toBe('listModuleChoices')
    expect(nameAt('GET', '/api/module/5')).toBe('getModule')
    expect(nameAt('POST', '/api/sorder/alertDate')).toBe('setAlertDate')
    expect(nameAt('DELETE', '/api/aws/service/remove/5')).toBe('removeService')
    expect(nameAt('DELETE', '/api/aws/service/5')).toBe('deleteService')
  })

  test('what is no call of ours is nobody’s', () => {
    for (const path of ['/api', '/api/m18s/token/', '/api/m18s/user/1/2', '/saas/', '/api/sorder/1%2F2/x'])
      expect(nameAt('GET', path)).toBeUndefined()
    expect(nameAt('PATCH', '/api/m18s/user/1')).toBeUndefined()
  })

  test('a parameter that cannot be decoded is handed on as it is, for the schema to refuse', () => {
    expect(find('GET', '/public/asset/%E0%A4')?.params).toEqual({ id: '%E0%A4' })
  })

  test('one asking has one address, whatever order its filters were named in', () => {
    const users = endpoints.find(({ name }) => name === 'listUsers') as Endpoint
    const at = (query: object) => toWire(users, { params: { companyId: 1 }, query } as never).path
    expect(at({ page: 2, statusType: 1 })).toBe(at({ statusType: 1, page: 2, searchText: undefined }))
  })
})

describe('values of a query or form (S-02)', () => {
  const users = endpoints.find(({ name }) => name === 'listUsers') as Endpoint & { query: Shape }
  const values = (search: string) => fromPairs(users.query, new URLSearchParams(search))

  test('each is read as the type its field declares, and nothing else', () => {
    expect(values('page=2&includedDel=true&searchText=2&statusType=-1').values).toEqual({
      page: 2,
      includedDel: true,
      searchText: '2',
      statusType: -1,
    })
    expect(values('page=0x10&includedDel=yes').values).toEqual({ page: '0x10', includedDel: 'yes' })
  })

  test('a name given twice is told', () => {
    expect(values('page=1&page=2').repeated).toEqual(['page'])
  })

  test('a filter left empty is as good as none; text may be empty', () => {
    expect(values('statusType=&includedDel=&searchText=').values).toEqual({ searchText: '' })
  })

  test('a name that is no field stays, for the schema to refuse; the prototype is out of reach', () => {
    expect(values('toString=1&__proto__=2').values).toEqual({ toString: '1' })
    expect(Object.getPrototypeOf(values('__proto__=2').values)).toBe(Object.prototype)
  })
})
