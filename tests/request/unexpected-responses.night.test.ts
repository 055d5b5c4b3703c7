/** Tests responses that the server never sends. Each call still returns a result to the page, and the rows stay (F-12). */
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import type { Endpoint, ValueSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { listUsers } from '#contract/users.ts'
import { createArbitrary } from '#tests/contract/arbitrary.ts'
import { createClock, createTablet, type ReceivedResponse } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

const buildResponse = (status: number, body: string, type = 'application/json'): ReceivedResponse => ({
  status,
  headers: { 'content-type': type, 'x-request-id': 'r' },
  body,
})
const htmlPage = '<!doctype html><title>Gateway</title>'

const unexpectedResponses: [string, ReceivedResponse][] = [
  ['an empty body', buildResponse(200, '')],
  ['an HTML page', buildResponse(200, htmlPage, 'text/html')],
  ['a 500 with an empty object', buildResponse(500, '{}')],
  ['rows that are not objects', buildResponse(200, '{"count":2,"data":[null,7]}')],
  ['an unassigned status (299)', buildResponse(299, '{}')],
  ['truncated JSON', buildResponse(200, '{"count":')],
  ['a 500 with an HTML page', buildResponse(500, htmlPage, 'text/html')],
  ['null', buildResponse(200, 'null')],
  ['an empty object', buildResponse(200, '{}')],
  ['null in every field', buildResponse(200, '{"count":null,"data":null,"id":null,"status":null}')],
  ['a row without its fields', buildResponse(200, '{"count":1,"data":[{"id":1}]}')],
]

const buildInput = (endpoint: Endpoint): Record<string, unknown> => {
  const sampleOptions = { numRuns: 1, seed: suiteSeed } as const
  const buildPart = (schema: ValueSchema | undefined) =>
    schema ? fc.sample(createArbitrary(schema), sampleOptions)[0] : undefined
  return { params: buildPart(endpoint.params), query: buildPart(endpoint.query), body: buildPart(endpoint.body) }
}
// Endpoints to test: every read, but only eight writes, because a waiting write needs many turns of the clock.
const isWrite = ({ method, name, encoding }: Endpoint) =>
  method !== 'GET' && encoding !== 'multipart' && !/^(grantToken|signOut)$/.test(name)
const testedEndpoints = [
  ...endpoints.filter(({ method }) => method === 'GET'),
  ...endpoints.filter(isWrite).slice(0, 8),
]

describe.each(limitByDay(unexpectedResponses, 5))('an unexpected response: %s', (_, received) => {
  it('gives each call a result, and leaves the rows unchanged (F-12)', async () => {
    const clock = createClock()
    const server = createScriptedServer(clock)
    const tablet = createTablet((request) => server.transport(request), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    const previousList = await tablet.list(listUsers, { scope: companyId })
    expect(previousList.rows).toHaveLength(3)

    server.script = ({ path }, respond) => (path === '/api/m18s/token' ? respond() : received)
    for (const endpoint of testedEndpoints) {
      const call = tablet.api.call(endpoint, buildInput(endpoint) as never)
      let isDone = false
      void call.finally(() => (isDone = true))
      for (let turns = 0; !isDone && turns < 60; turns++) await clock.advance(5_000)
      const { kind } = await call
      expect([endpoint.name, ['fresh', 'cached', 'queued', 'started', 'problem'].includes(kind)]).toEqual([
        endpoint.name,
        true,
      ])
    }
    tablet.connection.state = 'down'
    const currentList = await tablet.list(listUsers, { scope: companyId })
    expect(currentList.rows.map(({ row }) => row.id)).toEqual(previousList.rows.map(({ row }) => row.id))
  }, 60_000)
})
