/** Sends expensive bodies to every endpoint. Each is rejected before it is parsed, with a short response. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint, ValueSchema, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { readJson } from '#server/http/input/json.ts'
import { readQueryPairs } from '#server/http/input/parse.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { createValidationProblem, type ProblemError } from '#server/problems/problem-error.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import {
  buildHostileForms,
  buildHostileJson,
  buildHostileParts,
  buildHostileQueries,
  type HostileBody,
  buildLargeJson,
} from '#tests/support/server/hostile-bodies.ts'
import { basicAuthorization, type Send, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let senders: Record<'admin' | 'order' | 'staff', Send>
beforeAll(async () => {
  server = await startServer()
  const signIn = async (userName: string) => (await server.signIn(userName)).send
  senders = {
    admin: await signIn('admin@alpha'),
    order: await signIn('order@alpha'),
    staff: await signIn('delete@m18'),
  }
})
afterAll(() => server.close())

const adminAccess = new Set<Endpoint['access']>(['user', 'admin', 'trail'])
function getSender({ access }: Endpoint): Send {
  if (access === 'anybody') return server.send
  return adminAccess.has(access) ? senders.admin : access === 'order' ? senders.order : senders.staff
}

const buildPath = ({ path }: Endpoint) => path.replace(/:key\b/, 'a'.repeat(20)).replace(/:\w+/g, '2000000000')
const getFieldNames = (schema: ValueSchema | undefined) =>
  Object.keys((schema as ObjectSchema | undefined)?.shape ?? {})

interface RefusalBody {
  errorCode?: string
  data?: { field: string; code: string }[] | null
}

/** Expects a small client error with few problems and short names. */
function expectSmall(response: { statusCode: number; body: string; json: () => unknown }, title: string): void {
  expect([title, response.statusCode >= 400 && response.statusCode < 500]).toEqual([title, true])
  expect([title, response.body.length < 20_000]).toEqual([title, true])
  const { data } = response.json() as RefusalBody
  if (!Array.isArray(data)) return
  expect([title, data.length <= 50]).toEqual([title, true])
  expect([title, data.every(({ field }) => field.length <= 100)]).toEqual([title, true])
}

const isForm = ({ encoding }: Endpoint) => encoding === 'form'
const endpointsWithBody = endpoints.filter(({ method, body }) => method !== 'GET' && body)

/** Bodies that are large enough to exceed every limit. */
const formBodies = buildHostileForms(50_000)
const jsonBodies = buildHostileJson(210_000)
const partBodies = buildHostileParts(60_000)

/** Returns all bodies by night. By day it returns a third of them in rotation, so that each is sent to endpoints of all kinds. */
let sentCount = 0
function chooseBodies(endpoint: Endpoint): HostileBody[] {
  const turn = sentCount++ % 3
  const fields = getFieldNames(endpoint.body)
  const allBodies =
    endpoint.encoding === 'multipart'
      ? partBodies
      : [...(isForm(endpoint) ? formBodies : jsonBodies), ...(fields.length > 0 ? buildLargeJson(fields, 60_000) : [])]
  return allBodies.filter((_, index) => isNight || index % 3 === turn)
}

describe.each(endpointsWithBody.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s (fault 2)',
  (name, endpoint) => {
    test('rejects every hostile body with a short response', async () => {
      const headers = name === 'grantToken' ? { authorization: basicAuthorization } : {}
      for (const { name: title, type, body } of chooseBodies(endpoint)) {
        const response = await getSender(endpoint)({
          method: endpoint.method,
          url: buildPath(endpoint),
          headers: { ...headers, 'content-type': type },
          payload: body,
        })
        expectSmall(response, title)
        // If a limit is exceeded, the response contains only that problem.
        if (
          formBodies.some((candidate) => candidate.name === title) ||
          jsonBodies.some((candidate) => candidate.name === title)
        )
          expect([title, (response.json() as RefusalBody).data?.length]).toEqual([title, 1])
      }
    })
  },
)

test('The server refuses to receive a body that is larger than any call needs (fault 2)', async () => {
  for (const endpoint of endpoints.filter(({ method, encoding }) => method !== 'GET' && encoding !== 'multipart')) {
    const isLong = endpoint.body && !isForm(endpoint) && endpoint.access !== 'anybody'
    const response = await getSender(endpoint)({
      method: endpoint.method,
      url: buildPath(endpoint),
      headers: { 'content-type': isForm(endpoint) ? 'application/x-www-form-urlencoded' : 'application/json' },
      payload: 'a'.repeat(isLong ? (endpoint.jsonBytes ?? 1_048_576) + 1 : 262_145),
    })
    expect([endpoint.name, response.statusCode, response.json().errorCode]).toEqual([endpoint.name, 413, 'TOO_LARGE'])
  }
})

test('The server rejects a query of thousands of pairs before parsing it (fault 2)', async () => {
  for (const endpoint of endpoints.filter(({ method }) => method === 'GET'))
    for (const [title, query] of buildHostileQueries(7000)) {
      const response = await getSender(endpoint)({ url: `${buildPath(endpoint)}?${query}` })
      const fullTitle = `${endpoint.name}: ${title}`
      // A browser that returns from a gateway always gets a page of the portal.
      if (endpoint.name !== 'returnFromPayment' || response.statusCode !== 303) expectSmall(response, fullTitle)
    }
  expect(() => readQueryPairs(`/api/app?${'a&'.repeat(100)}`)).toThrow('VALIDATION_ERROR')
  expect(readQueryPairs(`/api/app?${'a&'.repeat(99)}`)).toHaveLength(99)
})

describe('the limits of bodies (fault 2)', () => {
  const readFault = (text: string) => {
    try {
      readJson(text)
      return null
    } catch (error) {
      return ((error as ProblemError).data as { code: string; limit?: number }[])[0]
    }
  }
  const { json } = inputLimits
  const buildNames = (count: number) => `{${Array.from({ length: count }, (_, index) => `"a${index}":1`).join(',')}}`

  test('apply to values, names and depth of JSON, and a refusal contains the limit', () => {
    expect(readFault(buildNames(json.names))).toBeNull()
    expect(readFault(buildNames(json.names + 1))).toEqual({ field: '', code: 'TOO_MANY', limit: json.names })
    expect(readFault(`[${buildNames(json.names)},${buildNames(json.names)}]`)).toBeNull()
    expect(readFault(`[${'1,'.repeat(json.values - 2)}1]`)).toBeNull()
    expect(readFault(`[${'1,'.repeat(json.values - 1)}1]`)).toEqual({ field: '', code: 'TOO_MANY', limit: json.values })
    expect(readFault('['.repeat(json.depth) + ']'.repeat(json.depth))).toBeNull()
    expect(readFault('['.repeat(json.depth + 1))).toEqual({ field: '', code: 'TOO_DEEP', limit: json.depth })
    expect(readFault(`{"${'a'.repeat(json.nameLength)}":1}`)).toBeNull()
    expect(readFault(`{"${'a'.repeat(json.nameLength + 1)}":1}`)).toMatchObject({ code: 'TOO_LONG' })
  })

  test('do not count JSON syntax inside strings, and detect a duplicate name after an inner object', () => {
    expect(readJson('{"a":"[[[[,:,{}\\"","b":"\\\\"}')).toEqual({ a: '[[[[,:,{}"', b: '\\' })
    expect(readJson('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }])
    for (const text of ['{"a":{"b":1},"a":2}', '{"a":[{"b":1}],"\\u0061":2}', '{"a":1,"b":{"c":{},"c":1}}'])
      expect(readFault(text)).toMatchObject({ code: 'INVALID_FORMAT' })
    for (const text of ['', ']', '}{', ':', '"', '"\\', '{"a"', '{"\\u00":1}', '{:1}'])
      expect(readFault(text)).toEqual({ field: '', code: 'INVALID_FORMAT' })
  })

  test('apply to the pairs of a form', async () => {
    const sendPairs = (pairs: number) =>
      server.send({
        method: 'POST',
        url: '/public/company',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'zh' },
        payload: Array.from({ length: pairs }, (_, index) => `a${index}=1`).join('&'),
      })
    expect((await sendPairs(inputLimits.pairs)).json().data.length).toBeGreaterThan(1)
    expect((await sendPairs(inputLimits.pairs + 1)).json().data).toEqual([
      { field: '', code: 'TOO_MANY', limit: 200, message: '本次请求内容过多，一次最多可发送 200 个值。' },
    ])
  })

  test('apply to the response, which has at most 50 problems with shortened names and values', () => {
    const issues = Array.from({ length: 3000 }, (_, index) => ({
      field: `${index}${'x'.repeat(300)}`,
      code: 'DUPLICATE' as const,
      named: 'y'.repeat(5000),
    }))
    const data = createValidationProblem(issues).data as { field: string; named: string }[]
    expect(data).toHaveLength(50)
    expect(data[49]).toMatchObject({ field: `49${'x'.repeat(98)}`, named: 'y'.repeat(1000) })
  })

  test('allow the largest price list of the schema', async () => {
    const charges = { hkd: '1000000.00', usd: '1000000.00', rmb: '1000000.00' }
    const users = Array.from({ length: 1000 }, (_, index) => ({ from: index * 10, to: index * 10 + 9, ...charges }))
    const body = {
      type: 'saas',
      effective_date: '2026-09-01',
      desc: 'All of it',
      concurrentUser: users,
      namedUser: users,
      module: Array.from({ length: 1000 }, (_, index) => ({ code: `m${index}`, module_id: index + 1, ...charges })),
    }
    const response = await senders.staff({ method: 'POST', url: '/api/pricelist', payload: body })
    // The list is parsed and validated. Of its thousand unknown modules the response names the first 50.
    expect([response.statusCode, response.json().data.length]).toEqual([400, 50])
    expect(response.json().data[0].code).toBe('MODULE_UNKNOWN')
  })
})
