/** Tests that many waiting writes are sent in few requests, between a tablet and the real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { ReceivedResponse, Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let installation: Installation
let tablet: Tablet
let id: number

beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

beforeEach(async () => {
  const { companies, users } = await installation.server.reset()
  id = users['invited@alpha'] ?? 0
  tablet = await installation.signInTablet('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
  await tablet.settle()
  tablet.connection.state = 'down'
})

const newUser = (name: string) => ({
  body: { title: 0 as const, name, email: `${name}@alpha.example`, admin: false, order: false, alert: false },
})

async function createUserWithChanges(name: string, changes: number) {
  const result = await tablet.api.call(createUser, newUser(name))
  const intent = 'intent' in result ? (result.intent ?? '') : ''
  for (let index = 1; index <= changes; index++)
    await tablet.api.call(updateCompanyUser, { params: { id: `~${intent}` }, body: { name: `${name} ${index}` } })
  return intent
}

async function reconnect() {
  const logLength = tablet.connection.log.length
  tablet.connection.state = 'up'
  await tablet.tick()
  await tablet.settle()
  return tablet.connection.log.slice(logLength).filter(({ request }) => request.method !== 'GET')
}

const readRow = (intent: string) => tablet.row('users', `~${intent}`)
/** Counts the completed writes in the idempotency store. */
const countEffects = () =>
  bypassPolicies(installation.server.app.database, async (db) => {
    const rows = await db.selectFrom('idempotency').select('state').where('state', '=', 'done').execute()
    return rows.length
  })

describe('waiting writes', () => {
  it('are sent one by one, then eight, then fifty per request, in order for each row (protocol 25)', async () => {
    const intents = [
      await createUserWithChanges('ann', 20),
      await createUserWithChanges('bob', 20),
      await createUserWithChanges('cid', 20),
    ]
    const sent = await reconnect()
    expect(await tablet.entries()).toEqual([])
    expect(
      sent.map(({ request: { path, body } }) => (path === '/api/batch' ? JSON.parse(body ?? '').length : 1)),
    ).toEqual([1, 8, 50, 4])
    for (const [index, intent] of intents.entries())
      expect(await readRow(intent)).toMatchObject({
        row: { name: `${['ann', 'bob', 'cid'][index]} 20`, row_version: 21 },
      })
  })

  it('are also sent in batches while a caller awaits each of them (O2)', async () => {
    tablet.connection.state = 'up'
    const logLength = tablet.connection.log.length
    const names = Array.from({ length: 20 }, (_, index) => `dan${index}`)
    const results = await Promise.all(names.map((name) => tablet.api.call(createUser, newUser(name))))
    await tablet.settle()
    expect(results.map(({ kind }) => kind)).toEqual(names.map(() => 'fresh'))
    const sent = tablet.connection.log.slice(logLength).filter(({ request: { method } }) => method !== 'GET')
    expect(sent.length).toBeLessThanOrEqual(4)
  })

  it('take effect once if a response is lost (protocol 24, 25)', async () => {
    const intent = await createUserWithChanges('ann', 9)
    tablet.connection.state = 'answers lost'
    await tablet.tick()
    await tablet.settle()
    await reconnect()
    await installation.clock.advance(120_000)
    await reconnect()
    expect(await tablet.entries()).toEqual([])
    expect(await readRow(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
    expect(await countEffects()).toBe(10)
  })

  it('stay blocked behind a refused write of the same row, while other rows are sent (protocol 24)', async () => {
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
    const refusedIntent = await createUserWithChanges('second', 2)
    const otherIntent = await createUserWithChanges('bob', 2)
    await reconnect()
    expect(await tablet.entries()).toMatchObject([
      { intent: refusedIntent, state: 'refused', problem: { code: 'DUP_USER' } },
      { state: 'waiting' },
      { state: 'waiting' },
    ])
    expect(await readRow(otherIntent)).toMatchObject({ row: { name: 'bob 2' } })
  })
})

describe('a batch', () => {
  /** Uses `buildResponse` for the first batch and forwards all other requests. */
  function interceptBatch(
    buildResponse: (items: unknown[], sendOriginal: () => Promise<Response>) => Promise<ReceivedResponse | Response>,
  ) {
    const originalNetwork = tablet.ports.network
    let times = 0
    tablet.ports.network = async (request) => {
      if (!request.url.endsWith('/api/batch') || times++ > 0) return await originalNetwork(request)
      const items = (await request.clone().json()) as unknown[]
      const reply = await buildResponse(items, () => originalNetwork(request))
      if (reply instanceof Response) return reply
      return new Response(reply.body, { status: reply.status, headers: reply.headers as Record<string, string> })
    }
  }
  const buildReply = (status: number, body: unknown): ReceivedResponse => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-1' },
    body: JSON.stringify(body),
  })

  it.each([
    [413, 'it is halved'],
    [404, 'its writes are sent one by one'],
    [405, 'its writes are sent one by one'],
    [501, 'its writes are sent one by one'],
  ])('after the response %i %s, and no write is lost (protocol 25)', async (status) => {
    const intent = await createUserWithChanges('ann', 9)
    interceptBatch(async () => buildReply(status, { errorCode: 'TOO_LARGE', errorMessage: '', data: null }))
    const sent = await reconnect()
    expect(await tablet.entries()).toEqual([])
    expect(await readRow(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
    const sizes = sent.flatMap(({ request: { path, body } }) =>
      path === '/api/batch' ? [JSON.parse(body ?? '').length] : [],
    )
    expect(sizes.every((size) => size <= 4)).toBe(true)
    expect(sizes.length > 0).toBe(status === 413)
  })

  it.each([
    ['with one entry missing', (all: unknown[]) => all.slice(1)],
    ['in another order', (all: unknown[]) => all.toReversed()],
    ['without idempotency keys', (all: unknown[]) => all.map(() => ({ status: 200, headers: {}, body: null }))],
  ])(
    'settles nothing if the response is a list %s, and is resent with the same keys (protocol 25)',
    async (_, spoil) => {
      const intent = await createUserWithChanges('ann', 9)
      interceptBatch(async (_items, sendOriginal) =>
        buildReply(200, spoil((await (await sendOriginal()).json()) as unknown[])),
      )
      await reconnect()
      expect(await tablet.entries()).toHaveLength(9)
      await installation.clock.advance(120_000)
      await reconnect()
      expect(await tablet.entries()).toEqual([])
      expect(await readRow(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
      expect(await countEffects()).toBe(10)
    },
  )
})
