/** Answers that no server of ours gives: each call comes to a result for the page all the same, and rows stay (F-12). */
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import type { Endpoint, Schema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { listUsers } from '#contract/users.ts'
import { anything } from '#tests/contract/arbitrary.ts'
import { createClock, createTablet, type Received } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'
import { suiteSeed } from '#tests/support/runner/chance.ts'
import { byDay } from '#tests/support/runner/nightly.ts'

const answer = (status: number, body: string, type = 'application/json'): Received => ({
  status,
  headers: { 'content-type': type, 'x-request-id': 'r' },
  body,
})
const html = '<!doctype html><title>Gateway</title>'

const strange: [string, Received][] = [
  ['nothing at all', answer(200, '')],
  ['a page', answer(200, html, 'text/html')],
  ['an error without words', answer(500, '{}')],
  ['rows that are none', answer(200, '{"count":2,"data":[null,7]}')],
  ['a status of nobody', answer(299, '{}')],
  ['no JSON', answer(200, '{"count":')],
  ['an error as a page', answer(500, html, 'text/html')],
  ['null', answer(200, 'null')],
  ['an empty object', answer(200, '{}')],
  ['nulls for everything', answer(200, '{"count":null,"data":null,"id":null,"status":null}')],
  ['a row without its fields', answer(200, '{"count":1,"data":[{"id":1}]}')],
]

const sent = (endpoint: Endpoint): Record<string, unknown> => {
  const drawn = { numRuns: 1, seed: suiteSeed } as const
  const part = (schema: Schema | undefined) => (schema ? fc.sample(anything(schema), drawn)[0] : undefined)
  return { params: part(endpoint.params), query: part(endpoint.query), body: part(endpoint.body) }
}
// Every reading, and some writes of each way: one that waits takes the clock's turns.
const isWrite = ({ method, name, encoding }: Endpoint) =>
  method !== 'GET' && encoding !== 'multipart' && !/^(grantToken|signOut)$/.test(name)
const asked = [...endpoints.filter(({ method }) => method === 'GET'), ...endpoints.filter(isWrite).slice(0, 8)]

describe.each(byDay(strange, 5))('answered with %s', (_, received) => {
  it('each call comes to a result, and the rows stay as they were (F-12)', async () => {
    const clock = createClock()
    const server = createScripted(clock)
    const tablet = createTablet((one) => server.answer(one), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.api.call(listUsers, { params: { companyId: company } })
    await tablet.rest()
    const before = await tablet.list(listUsers, { scope: company })
    expect(before.rows).toHaveLength(3)

    server.script = ({ path }, usual) => (path === '/api/m18s/token' ? usual() : received)
    for (const endpoint of asked) {
      const calling = tablet.api.call(endpoint, sent(endpoint) as never)
      let isDone = false
      void calling.finally(() => (isDone = true))
      for (let turns = 0; !isDone && turns < 60; turns++) await clock.turn(5_000)
      const { kind } = await calling
      expect([endpoint.name, ['fresh', 'kept', 'queued', 'started', 'problem'].includes(kind)]).toEqual([
        endpoint.name,
        true,
      ])
    }
    tablet.line.state = 'down'
    const after = await tablet.list(listUsers, { scope: company })
    expect(after.rows.map(({ row }) => row.id)).toEqual(before.rows.map(({ row }) => row.id))
  }, 60_000)
})
