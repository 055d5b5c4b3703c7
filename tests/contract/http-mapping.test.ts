import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { convertPairs, createEndpointMatcher, toHttpRequest } from '#contract/http-mapping.ts'
import { createArbitrary } from '#tests/contract/arbitrary.ts'

const findEndpoint = createEndpointMatcher(endpoints)
// Multipart bodies are not built by the contract, but by the sender of the file (protocol 22).
const jsonEndpoints = endpoints.filter(({ encoding }) => encoding !== 'multipart')

const buildInput = ({ params, query, body }: Endpoint) =>
  fc
    .record({
      ...(params && { params: createArbitrary(params) }),
      ...(query && { query: createArbitrary(query) }),
      ...(body && { body: createArbitrary(body) }),
    })
    // The input is first converted to JSON and back, because JSON has no -0.
    .map((input) => JSON.parse(JSON.stringify(input)) as { params?: object; query?: object; body?: unknown })

const readPairs = (shape: ObjectSchema, pairs: Iterable<[string, string]>) => {
  const { values, repeated } = convertPairs(shape, pairs)
  expect(repeated).toEqual([])
  return shape.parse(values)
}

describe('toHttpRequest and findEndpoint', () => {
  test.each(jsonEndpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    'preserve every input of %s',
    (_, endpoint) => {
      fc.assert(
        fc.property(buildInput(endpoint), (input) => {
          const httpRequest = toHttpRequest(endpoint, input as never)
          const url = new URL(httpRequest.path, 'http://127.0.0.1')
          const match = findEndpoint(httpRequest.method, url.pathname)
          expect(match?.endpoint.name).toBe(endpoint.name)
          if (endpoint.params)
            expect(readPairs(endpoint.params, Object.entries(match?.params ?? {}))).toEqual(
              endpoint.params.parse(input.params),
            )
          if (endpoint.query)
            expect(readPairs(endpoint.query, url.searchParams)).toEqual(endpoint.query.parse(input.query))
          if (endpoint.body)
            expect(parseBody(endpoint, httpRequest.body ?? '')).toEqual(endpoint.body.parse(input.body))
        }),
        { numRuns: 60 },
      )
    },
  )
})

function parseBody({ body, encoding }: Endpoint, bytes: string): unknown {
  if (encoding === 'form') return readPairs(body as ObjectSchema, new URLSearchParams(bytes))
  return body?.parse(JSON.parse(bytes))
}

describe('Addresses of endpoints', () => {
  const findName = (method: string, path: string) => findEndpoint(method, path)?.endpoint.name

  test('A literal path segment wins over a parameter', () => {
    expect(findName('GET', '/api/pdb/traffic')).toBe('listTraffic')
    expect(findName('GET', '/api/pdb/traffic/5')).toBe('getTraffic')
    expect(findName('GET', '/api/module/info')).toBe('listModuleChoices')
    expect(findName('GET', '/api/module/5')).toBe('getModule')
    expect(findName('POST', '/api/sorder/alertDate')).toBe('setAlertDate')
    expect(findName('DELETE', '/api/aws/service/remove/5')).toBe('removeService')
    expect(findName('DELETE', '/api/aws/service/5')).toBe('deleteService')
  })

  test('Other paths and methods match no endpoint', () => {
    for (const path of ['/api', '/api/m18s/token/', '/api/m18s/user/1/2', '/saas/', '/api/sorder/1%2F2/x'])
      expect(findName('GET', path)).toBeUndefined()
    expect(findName('PATCH', '/api/m18s/user/1')).toBeUndefined()
  })

  test('A parameter that cannot be decoded is passed on unchanged, so that the schema rejects it', () => {
    expect(findEndpoint('GET', '/public/asset/%E0%A4')?.params).toEqual({ id: '%E0%A4' })
  })

  test('The same filters in another order give the same address', () => {
    const users = endpoints.find(({ name }) => name === 'listUsers') as Endpoint
    const buildPath = (query: object) => toHttpRequest(users, { params: { companyId: 1 }, query } as never).path
    expect(buildPath({ page: 2, statusType: 1 })).toBe(buildPath({ statusType: 1, page: 2, searchText: undefined }))
  })
})

describe('Values of a query or form (S-02)', () => {
  const users = endpoints.find(({ name }) => name === 'listUsers') as Endpoint & { query: ObjectSchema }
  const convertQuery = (search: string) => convertPairs(users.query, new URLSearchParams(search))

  test('Each value gets the type of its field, or stays text', () => {
    expect(convertQuery('page=2&includedDel=true&searchText=2&statusType=-1').values).toEqual({
      page: 2,
      includedDel: true,
      searchText: '2',
      statusType: -1,
    })
    expect(convertQuery('page=0x10&includedDel=yes').values).toEqual({ page: '0x10', includedDel: 'yes' })
  })

  test('A repeated field name is reported', () => {
    expect(convertQuery('page=1&page=2').repeated).toEqual(['page'])
  })

  test('An empty filter is dropped, but empty text is kept', () => {
    expect(convertQuery('statusType=&includedDel=&searchText=').values).toEqual({ searchText: '' })
  })

  test('An unknown field name is passed on, so that the schema rejects it, and cannot change the prototype', () => {
    expect(convertQuery('toString=1&__proto__=2').values).toEqual({ toString: '1' })
    expect(Object.getPrototypeOf(convertQuery('__proto__=2').values)).toBe(Object.prototype)
  })
})
