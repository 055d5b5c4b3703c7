/** Many waiting writes in few requests, between a real tablet and the real server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Received, Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

let app: Installation
let tablet: Tablet
let id: number

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

beforeEach(async () => {
  const { companies, users } = await app.server.reset()
  id = users['invited@alpha'] ?? 0
  tablet = await app.signedIn('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId: companies.alpha } })
  await tablet.rest()
  tablet.line.state = 'down'
})

const newUser = (name: string) => ({
  body: { title: 0 as const, name, email: `${name}@alpha.example`, admin: false, order: false, alert: false },
})

/** One user made and then changed `changes` times, all without a network. */
async function makeOne(name: string, changes: number) {
  const made = await tablet.api.call(createUser, newUser(name))
  const intent = 'intent' in made ? (made.intent ?? '') : ''
  for (let at = 1; at <= changes; at++)
    await tablet.api.call(updateCompanyUser, { params: { id: `~${intent}` }, body: { name: `${name} ${at}` } })
  return intent
}

async function back() {
  const before = tablet.line.log.length
  tablet.line.state = 'up'
  await tablet.tick()
  await tablet.rest()
  return tablet.line.log.slice(before).filter(({ sent }) => sent.method !== 'GET')
}

const named = (intent: string) => tablet.row('users', `~${intent}`)
/** Keyed writes that took effect, each once, by what the trail holds. */
const effects = () =>
  pastPolicies(app.server.app.database, async (db) => {
    const rows = await db.selectFrom('idempotency').select('state').where('state', '=', 'done').execute()
    return rows.length
  })

describe('writes that waited', () => {
  it('go one by one, then eight, then fifty in one request, those of one row in their order (protocol 25)', async () => {
    const intents = [await makeOne('ann', 20), await makeOne('bob', 20), await makeOne('cid', 20)]
    const sent = await back()
    expect(await tablet.entries()).toEqual([])
    expect(sent.map(({ sent: { path, body } }) => (path === '/api/batch' ? JSON.parse(body ?? '').length : 1))).toEqual(
      [1, 8, 50, 4],
    )
    for (const [at, intent] of intents.entries())
      expect(await named(intent)).toMatchObject({ row: { name: `${['ann', 'bob', 'cid'][at]} 20`, row_version: 21 } })
  })

  it('and are waited for, each by somebody of its own, go together too (O2)', async () => {
    tablet.line.state = 'up'
    const before = tablet.line.log.length
    const names = Array.from({ length: 20 }, (_, at) => `dan${at}`)
    const made = await Promise.all(names.map((name) => tablet.api.call(createUser, newUser(name))))
    await tablet.rest()
    expect(made.map(({ kind }) => kind)).toEqual(names.map(() => 'fresh'))
    const sent = tablet.line.log.slice(before).filter(({ sent: { method } }) => method !== 'GET')
    expect(sent.length).toBeLessThanOrEqual(4)
  })

  it('whose answer is lost in the middle take effect once all the same (protocol 24, 25)', async () => {
    const intent = await makeOne('ann', 9)
    tablet.line.state = 'answers lost'
    await tablet.tick()
    await tablet.rest()
    await back()
    await app.clock.turn(120_000)
    await back()
    expect(await tablet.entries()).toEqual([])
    expect(await named(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
    expect(await effects()).toBe(10)
  })

  it('behind a refused one stay behind it, and those of other rows do not (protocol 24)', async () => {
    await tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
    const refused = await makeOne('second', 2)
    const other = await makeOne('bob', 2)
    await back()
    expect(await tablet.entries()).toMatchObject([
      { intent: refused, state: 'refused', problem: { code: 'DUP_USER' } },
      { state: 'waiting' },
      { state: 'waiting' },
    ])
    expect(await named(other)).toMatchObject({ row: { name: 'bob 2' } })
  })
})

describe('a batch', () => {
  /** Answers batches by `answer` the first time, and lets everything else through. */
  function meddle(answer: (items: unknown[], through: () => Promise<Response>) => Promise<Received | Response>) {
    const straight = tablet.ports.network
    let times = 0
    tablet.ports.network = async (request) => {
      if (!request.url.endsWith('/api/batch') || times++ > 0) return await straight(request)
      const items = (await request.clone().json()) as unknown[]
      const said = await answer(items, () => straight(request))
      if (said instanceof Response) return said
      return new Response(said.body, { status: said.status, headers: said.headers as Record<string, string> })
    }
  }
  const said = (status: number, body: unknown): Received => ({
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-1' },
    body: JSON.stringify(body),
  })

  it.each([
    [413, 'is halved'],
    [404, 'is given up for single writes'],
    [405, 'is given up for single writes'],
    [501, 'is given up for single writes'],
  ])('that is answered %i %s, and nothing is lost (protocol 25)', async (status) => {
    const intent = await makeOne('ann', 9)
    meddle(async () => said(status, { errorCode: 'TOO_LARGE', errorMessage: '', data: null }))
    const sent = await back()
    expect(await tablet.entries()).toEqual([])
    expect(await named(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
    const sizes = sent.flatMap(({ sent: { path, body } }) =>
      path === '/api/batch' ? [JSON.parse(body ?? '').length] : [],
    )
    expect(sizes.every((size) => size <= 4)).toBe(true)
    expect(sizes.length > 0).toBe(status === 413)
  })

  it.each([
    ['one entry short', (all: unknown[]) => all.slice(1)],
    ['in another order', (all: unknown[]) => all.toReversed()],
    ['of somebody who knows no keys', (all: unknown[]) => all.map(() => ({ status: 200, headers: {}, body: null }))],
  ])('answered with a list %s settles nothing, and goes again with the same keys (protocol 25)', async (_, spoil) => {
    const intent = await makeOne('ann', 9)
    meddle(async (_items, through) => said(200, spoil((await (await through()).json()) as unknown[])))
    await back()
    expect(await tablet.entries()).toHaveLength(9)
    await app.clock.turn(120_000)
    await back()
    expect(await tablet.entries()).toEqual([])
    expect(await named(intent)).toMatchObject({ row: { name: 'ann 9', row_version: 10 } })
    expect(await effects()).toBe(10)
  })
})
