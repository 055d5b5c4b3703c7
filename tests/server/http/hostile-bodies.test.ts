/** Bodies that are made to cost much, sent to every call of the contract: refused before they are read, in few words. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint, Schema, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { readJson } from '#server/http/input/json.ts'
import { queryPairs } from '#server/http/input/parse.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { invalid, type ProblemError } from '#server/problems/problem-error.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import {
  hostileForms,
  hostileJson,
  hostileParts,
  hostileQueries,
  type HostileBody,
  largeJson,
} from '#tests/support/server/hostile-bodies.ts'
import { basic, type Send, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let askers: Record<'admin' | 'order' | 'staff', Send>
beforeAll(async () => {
  server = await startServer()
  const send = async (who: string) => (await server.signIn(who)).send
  askers = { admin: await send('admin@alpha'), order: await send('order@alpha'), staff: await send('delete@m18') }
})
afterAll(() => server.close())

const mayAdmin = new Set<Endpoint['who']>(['user', 'admin', 'trail'])
function senderFor({ who }: Endpoint): Send {
  if (who === 'anybody') return server.send
  return mayAdmin.has(who) ? askers.admin : who === 'order' ? askers.order : askers.staff
}

const pathOf = ({ path }: Endpoint) => path.replace(/:key\b/, 'a'.repeat(20)).replace(/:\w+/g, '2000000000')
const fieldsOf = (schema: Schema | undefined) => Object.keys((schema as Shape | undefined)?.shape ?? {})

interface Refusal {
  errorCode?: string
  data?: { field: string; code: string }[] | null
}

/** What a refusal may be: small, of few problems, with short names. */
function expectSmall(answer: { statusCode: number; body: string; json: () => unknown }, what: string): void {
  expect([what, answer.statusCode >= 400 && answer.statusCode < 500]).toEqual([what, true])
  expect([what, answer.body.length < 20_000]).toEqual([what, true])
  const { data } = answer.json() as Refusal
  if (!Array.isArray(data)) return
  expect([what, data.length <= 50]).toEqual([what, true])
  expect([what, data.every(({ field }) => field.length <= 100)]).toEqual([what, true])
}

const isForm = ({ encoding }: Endpoint) => encoding === 'form'
const withBody = endpoints.filter(({ method, body }) => method !== 'GET' && body)

/** Large enough for every limit. */
const forms = hostileForms(50_000)
const texts = hostileJson(210_000)
const parts = hostileParts(60_000)

/** All by night; by day a third of them, in turns, so that each is sent to calls of all kinds. */
let sent = 0
function bodiesFor(endpoint: Endpoint): HostileBody[] {
  const turn = sent++ % 3
  const fields = fieldsOf(endpoint.body)
  const all =
    endpoint.encoding === 'multipart'
      ? parts
      : [...(isForm(endpoint) ? forms : texts), ...(fields.length > 0 ? largeJson(fields, 60_000) : [])]
  return all.filter((_, at) => isNight || at % 3 === turn)
}

describe.each(withBody.map((endpoint) => [endpoint.name, endpoint] as const))('fault 2 %s', (name, endpoint) => {
  test('refuses every hostile body in few words', async () => {
    const headers = name === 'grantToken' ? { authorization: basic } : {}
    for (const { name: what, type, body } of bodiesFor(endpoint)) {
      const answer = await senderFor(endpoint)({
        method: endpoint.method,
        url: pathOf(endpoint),
        headers: { ...headers, 'content-type': type },
        payload: body,
      })
      expectSmall(answer, what)
      // Of what has too much of anything, nothing but this is said.
      if (forms.some((one) => one.name === what) || texts.some((one) => one.name === what))
        expect([what, (answer.json() as Refusal).data?.length]).toEqual([what, 1])
    }
  })
})

test('fault 2 a body that no call needs is not even received', async () => {
  for (const endpoint of endpoints.filter(({ method, encoding }) => method !== 'GET' && encoding !== 'multipart')) {
    const isLong = endpoint.body && !isForm(endpoint) && endpoint.who !== 'anybody'
    const answer = await senderFor(endpoint)({
      method: endpoint.method,
      url: pathOf(endpoint),
      headers: { 'content-type': isForm(endpoint) ? 'application/x-www-form-urlencoded' : 'application/json' },
      payload: 'a'.repeat(isLong ? 1_048_577 : 262_145),
    })
    expect([endpoint.name, answer.statusCode, answer.json().errorCode]).toEqual([endpoint.name, 413, 'TOO_LARGE'])
  }
})

test('fault 2 every query of thousands of pairs is refused before it is read', async () => {
  for (const endpoint of endpoints.filter(({ method }) => method === 'GET'))
    for (const [what, query] of hostileQueries(7000)) {
      const answer = await senderFor(endpoint)({ url: `${pathOf(endpoint)}?${query}` })
      const named = `${endpoint.name}: ${what}`
      // A browser that comes back from a gateway is shown a page of ours, whatever it brings.
      if (endpoint.name !== 'returnFromPayment' || answer.statusCode !== 303) expectSmall(answer, named)
    }
  expect(() => queryPairs(`/api/app?${'a&'.repeat(100)}`)).toThrow('VALIDATION_ERROR')
  expect(queryPairs(`/api/app?${'a&'.repeat(99)}`)).toHaveLength(99)
})

describe('fault 2 limits', () => {
  const faultOf = (text: string) => {
    try {
      readJson(text)
      return null
    } catch (error) {
      return ((error as ProblemError).data as { code: string; limit?: number }[])[0]
    }
  }
  const { json } = inputLimits
  const names = (count: number) => `{${Array.from({ length: count }, (_, at) => `"a${at}":1`).join(',')}}`

  test('of JSON hold to the last value, name and level, and are told with their number', () => {
    expect(faultOf(names(json.names))).toBeNull()
    expect(faultOf(names(json.names + 1))).toEqual({ field: '', code: 'TOO_MANY', limit: json.names })
    expect(faultOf(`[${names(json.names)},${names(json.names)}]`)).toBeNull()
    expect(faultOf(`[${'1,'.repeat(json.values - 2)}1]`)).toBeNull()
    expect(faultOf(`[${'1,'.repeat(json.values - 1)}1]`)).toEqual({ field: '', code: 'TOO_MANY', limit: json.values })
    expect(faultOf('['.repeat(json.depth) + ']'.repeat(json.depth))).toBeNull()
    expect(faultOf('['.repeat(json.depth + 1))).toEqual({ field: '', code: 'TOO_DEEP', limit: json.depth })
    expect(faultOf(`{"${'a'.repeat(json.nameLength)}":1}`)).toBeNull()
    expect(faultOf(`{"${'a'.repeat(json.nameLength + 1)}":1}`)).toMatchObject({ code: 'TOO_LONG' })
  })

  test('of JSON do not count what stands inside texts, and see names again after an inner object', () => {
    expect(readJson('{"a":"[[[[,:,{}\\"","b":"\\\\"}')).toEqual({ a: '[[[[,:,{}"', b: '\\' })
    expect(readJson('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }])
    for (const text of ['{"a":{"b":1},"a":2}', '{"a":[{"b":1}],"\\u0061":2}', '{"a":1,"b":{"c":{},"c":1}}'])
      expect(faultOf(text)).toMatchObject({ code: 'INVALID_FORMAT' })
    for (const text of ['', ']', '}{', ':', '"', '"\\', '{"a"', '{"\\u00":1}', '{:1}'])
      expect(faultOf(text)).toEqual({ field: '', code: 'INVALID_FORMAT' })
  })

  test('of a form hold to the last pair', async () => {
    const send = (pairs: number) =>
      server.send({
        method: 'POST',
        url: '/public/company',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'zh' },
        payload: Array.from({ length: pairs }, (_, at) => `a${at}=1`).join('&'),
      })
    expect((await send(inputLimits.pairs)).json().data.length).toBeGreaterThan(1)
    expect((await send(inputLimits.pairs + 1)).json().data).toEqual([
      { field: '', code: 'TOO_MANY', limit: 200, message: '本次请求内容过多，一次最多可发送 200 个值。' },
    ])
  })

  test('of a refusal: 50 problems, and neither long names nor long values', () => {
    const many = Array.from({ length: 3000 }, (_, at) => ({
      field: `${at}${'x'.repeat(300)}`,
      code: 'DUPLICATE' as const,
      named: 'y'.repeat(5000),
    }))
    const data = invalid(many).data as { field: string; named: string }[]
    expect(data).toHaveLength(50)
    expect(data[49]).toMatchObject({ field: `49${'x'.repeat(98)}`, named: 'y'.repeat(1000) })
  })

  test('leave room for the largest price list that its schema takes', async () => {
    const charges = { hkd: '1000000.00', usd: '1000000.00', rmb: '1000000.00' }
    const users = Array.from({ length: 1000 }, (_, at) => ({ from: at * 10, to: at * 10 + 9, ...charges }))
    const body = {
      type: 'saas',
      effective_date: '2026-09-01',
      desc: 'All of it',
      concurrentUser: users,
      namedUser: users,
      module: Array.from({ length: 1000 }, (_, at) => ({ code: `m${at}`, module_id: at + 1, ...charges })),
    }
    const answer = await askers.staff({ method: 'POST', url: '/api/pricelist', payload: body })
    // It is read and looked at, and of its thousand modules, which are not there, the first 50 are named.
    expect([answer.statusCode, answer.json().data.length]).toEqual([400, 50])
    expect(answer.json().data[0].code).toBe('MODULE_UNKNOWN')
  })
})
