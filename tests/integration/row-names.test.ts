/** Writes of different rows that know each other by name: sent in order, whatever the connection does (decision 82). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createModule, deleteModule, listModules, updateModule } from '#contract/modules.ts'
import { createPriceList, deletePriceList } from '#contract/prices.ts'
import { createUser, deleteUser, listUsers } from '#contract/users.ts'
import { versionOf } from '#local/lists/list-view.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import type { Result } from '#request/results.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openShop } from '#tests/support/orders/shop-data.ts'

let app: Installation
let tablet: Tablet
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.server.reset()
  await openShop(app.server)
  tablet = await app.signedIn('admin@m18')
  await tablet.api.call(listModules, { query: { results: 50 } })
  await tablet.rest()
  tablet.line.state = 'down'
})

const intentOf = (result: Result<unknown>) => ('intent' in result ? (result.intent ?? '') : '')
const add = async (code: string, dependencies: string[] = [], more: object = {}, intent?: string) => {
  const body = { name: `Module ${code}`, code, type: 'saas' as const, dependencies, ...more }
  return intentOf(await tablet.api.call(createModule, { body }, intent === undefined ? {} : { intent }))
}
const actions = () => createOutboxActions(tablet.ports)
const codes = async () => {
  const rows = await pastPolicies(app.server.app.database, (db) =>
    db.selectFrom('module').select('code').where('deleted', '=', false).execute(),
  )
  return rows.map(({ code }) => code)
}
/** Of this device's rows: those that were here before the test. */
async function known(code: string) {
  const view = await tablet.list(listModules, { filters: { type: 'saas' }, results: 200, page: 1 })
  const found = view.rows.find(({ row }) => (row as unknown as { code: string }).code === code)
  if (!found) throw new Error(`no module ${code}`)
  return found
}
async function change(code: string, body: object, before: object) {
  const row = await known(code)
  const base = { rowVersion: versionOf(row), values: before as Record<string, unknown> }
  return intentOf(await tablet.api.call(updateModule, { params: { id: row.row.id }, body }, { base }))
}
async function remove(code: string) {
  const row = await known(code)
  const base = { rowVersion: versionOf(row), values: {} }
  return intentOf(await tablet.api.call(deleteModule, { params: { id: row.row.id } }, { base }))
}

/** The requests for which this says so never arrive. */
function cut(isCut: (body: string, at: number) => boolean, isAnswerCut: (at: number) => boolean = () => false) {
  const { network } = tablet.ports
  let at = 0
  tablet.line.state = 'up'
  tablet.ports.network = async (request) => {
    if (!request.url.includes('/api/module') && !request.url.includes('/api/batch')) return await network(request)
    at += 1
    if (isCut(await request.clone().text(), at)) throw new TypeError('Failed to fetch')
    const response = await network(request)
    if (isAnswerCut(at)) throw new TypeError('Failed to fetch')
    return response
  }
}

/** As time goes by, without anybody pressing anything. */
async function drain(rounds = 60, stepMs = 1_500) {
  for (let round = 0; round < rounds && (await tablet.waiting()) > 0; round++) {
    await sendOutbox(tablet.ports)
    await app.clock.turn(stepMs)
  }
  await tablet.rest()
}
const standing = async () =>
  (await tablet.entries()).map(({ intent, state, problem }) => ({ intent, state, code: problem?.code }))

it('fault 42a: modules that need each other arrive in order when the first request of the first is cut', async () => {
  await add('first')
  await add('second', ['first'])
  await add('third', ['second'])
  await add('fourth', ['first', 'third'])
  await add('fifth', ['fourth'])
  let lost = 0
  cut((body) => body.includes('"code":"first"') && lost++ < 2)
  await drain()
  expect(await standing()).toEqual([])
  expect(await codes()).toEqual(expect.arrayContaining(['first', 'second', 'third', 'fourth', 'fifth']))
})

it.each([1, 2, 3])(
  'fault 42a: so they do over a connection that cuts every other request or response (%i)',
  async (seed) => {
    const chance = chanceOf(seed)
    for (let at = 0; at < 12; at++) await add(`m${at}`, at === 0 ? [] : [`m${at - 1}`, `m${Math.floor(chance() * at)}`])
    cut(
      () => chance() < 0.4,
      () => chance() < 0.3,
    )
    await drain(200, 31_000)
    expect(await standing()).toEqual([])
    expect(await codes()).toEqual(expect.arrayContaining(Array.from({ length: 12 }, (_, at) => `m${at}`)))
  },
)

it('fault 42a: a change that names an unsent module waits for it, and so does a hidden one that it brings in', async () => {
  await add('fresh')
  await change('core', { dependencies: ['fresh'] }, { dependencies: [] })
  const [, entry] = await tablet.entries()
  const [first] = await tablet.entries()
  expect(entry?.dependsOn).toEqual([first?.intent])
  // No app is known here, so that this one is only looked at.
  await add('joining', [], { hidden: true, conditions: ['fresh'] })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([first?.intent])
})

it('fault 42a: a price list waits for a module that it prices and is not known yet', async () => {
  const module = await add('priced')
  const row = { code: 'priced', hkd: '1.00', usd: '1.00', rmb: '1.00' }
  const body = { type: 'saas' as const, effective_date: '2027-01-01', desc: 'Next', module: [row] }
  await tablet.api.call(createPriceList, { body })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([module])
})

it('fault 42a: what takes a name away goes after what needed it, and before what takes it again', async () => {
  await add('gone')
  cut(() => false)
  await drain()
  await tablet.api.call(listModules, { query: { results: 50 } })
  await tablet.rest()
  tablet.line.state = 'down'
  const needing = await add('needing', ['gone'])
  const freed = await change('core', { dependencies: ['gone'] }, { dependencies: [] })
  const removed = await remove('gone')
  const again = await add('gone')
  const entries = new Map((await tablet.entries()).map((entry) => [entry.intent, entry]))
  expect(entries.get(removed)?.dependsOn.toSorted()).toEqual([needing, freed].toSorted())
  expect(entries.get(again)?.dependsOn).toContain(removed)
  // The order alone is no reason to take it along.
  expect(await actions().dependents(needing)).toEqual([])
})

it('fault 42a: a user whose address another one had is invited after that one is deleted', async () => {
  const { companies, users } = await app.server.reset()
  const admin = await app.signedIn('admin@alpha')
  await admin.api.call(listUsers, { params: { companyId: companies.alpha } })
  await admin.rest()
  admin.line.state = 'down'
  const id = users['invited@alpha'] ?? 0
  const row = (await admin.row('users', id))?.row as unknown as { email: string; row_version: number }
  const base = { rowVersion: row.row_version, values: {} }
  const deleted = intentOf(await admin.api.call(deleteUser, { params: { id } }, { base }))
  const invitation = { title: 0 as const, name: 'Back again', email: row.email.toUpperCase() }
  await admin.api.call(createUser, { body: invitation })
  expect((await admin.entries()).at(-1)?.dependsOn).toEqual([deleted])
})

it('fault 42a: a price list of a day that another one had is made after that one is deleted', async () => {
  const made = intentOf(
    await tablet.api.call(createPriceList, { body: { type: 'saas', effective_date: '2027-01-01', desc: 'One' } }),
  )
  // Sent once, so that the deletion does not cancel it.
  tablet.line.state = 'answers lost'
  await tablet.tick()
  tablet.line.state = 'down'
  const removed = intentOf(
    await tablet.api.call(
      deletePriceList,
      { params: { id: `~${made}` } },
      { base: { rowVersion: `~${made}`, values: {} } },
    ),
  )
  await tablet.api.call(createPriceList, { body: { type: 'saas', effective_date: '2027-01-01', desc: 'Two' } })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([removed])
})

describe('fault 42b: the reason names the row that blocks', () => {
  it('the one that goes first, and through a chain the one that was refused', async () => {
    const first = await add('first', ['nowhere'])
    const second = await add('second', ['first'])
    const third = await add('third', ['second'])
    expect(await actions().whyWaits(second)).toEqual({ why: 'needs', intent: first, state: 'waiting' })
    expect(await actions().whyWaits(third)).toEqual({ why: 'needs', intent: second, state: 'waiting' })
    cut(() => false)
    await drain(5)
    expect(await actions().whyWaits(second)).toEqual({ why: 'needs', intent: first, state: 'refused' })
    expect(await actions().whyWaits(third)).toEqual({ why: 'needs', intent: first, state: 'refused' })
  })

  it('whoever saves one behind it is told that an earlier one needs review', async () => {
    await add('first', ['nowhere'])
    cut(() => false)
    await drain(3)
    const body = { name: 'Second', code: 'second', type: 'saas' as const, dependencies: ['first'] }
    const result = await tablet.api.call(createModule, { body })
    expect(result).toMatchObject({ kind: 'queued', held: { problem: null, isBehind: true } })
  })
})

describe('fault 42c: edits and discards of what others depend on', () => {
  it('an edit that names another row waits for that one; one that names none waits for nobody', async () => {
    const first = await add('first')
    const other = await add('other')
    const second = await add('second', ['first'])
    const dependsOn = async () => (await tablet.entries()).find(({ intent }) => intent === second)?.dependsOn
    const body = { name: 'Second', code: 'second', type: 'saas' as const }
    await actions().mend(second, { body: { ...body, dependencies: ['first', 'other'] } })
    expect((await dependsOn())?.toSorted()).toEqual([first, other].toSorted())
    await actions().mend(second, { body: { ...body, dependencies: [] } })
    expect(await dependsOn()).toEqual([])
  })

  it('a refused one that is sent again waits for what was made since, and never for what waits for it', async () => {
    const second = await add('second', ['first'])
    cut(() => false)
    await drain(3)
    expect(await standing()).toMatchObject([{ state: 'refused', code: 'VALIDATION_ERROR' }])
    tablet.line.state = 'down'
    const first = await add('first')
    const third = await add('third', ['second'])
    await actions().retry(second)
    await tablet.rest()
    const entries = new Map((await tablet.entries()).map((entry) => [entry.intent, entry]))
    expect(entries.get(second)?.dependsOn).toEqual([first])
    expect(entries.get(third)?.dependsOn).toEqual([second])
    tablet.line.state = 'up'
    await drain()
    expect(await standing()).toEqual([])
    expect(await codes()).toEqual(expect.arrayContaining(['first', 'second', 'third']))
  })

  it('discarding a module lists the whole chain that needs it, and takes it along', async () => {
    const first = await add('first')
    const second = await add('second', ['first'])
    const third = await add('third', ['second'])
    await add('apart')
    expect(await actions().dependents(first)).toEqual([second, third])
    tablet.line.state = 'up'
    await actions().drop(first)
    await drain()
    expect(await standing()).toEqual([])
    expect((await codes()).filter((code) => ['first', 'second', 'third', 'apart'].includes(code))).toEqual(['apart'])
  })

  it('one that was refused because the row is there already goes alone: what needs it can go', async () => {
    const first = await add('core')
    const second = await add('second', ['core'])
    cut(() => false)
    await drain(3)
    expect(await actions().whyWaits(second)).toEqual({ why: 'needs', intent: first, state: 'refused' })
    expect(await actions().dependents(first)).toEqual([])
    await actions().drop(first)
    await drain()
    expect(await standing()).toEqual([])
    expect(await codes()).toContain('second')
  })
})
