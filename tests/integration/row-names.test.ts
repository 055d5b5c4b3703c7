/** Tests that writes of different rows that refer to each other by name are sent in order over any connection (decision 82). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createModule, deleteModule, listModules, updateModule } from '#contract/modules.ts'
import { createPriceList, deletePriceList } from '#contract/prices.ts'
import { createUser, deleteUser, listUsers } from '#contract/users.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import type { CallResult } from '#request/call-results.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { createRandom } from '#tests/support/runner/random.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openShop } from '#tests/support/orders/shop-data.ts'

let installation: Installation
let tablet: Tablet
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  await installation.server.reset()
  await openShop(installation.server)
  tablet = await installation.signInTablet('admin@m18')
  await tablet.api.call(listModules, { query: { results: 50 } })
  await tablet.settle()
  tablet.connection.state = 'down'
})

const readIntent = (result: CallResult<unknown>) => ('intent' in result ? (result.intent ?? '') : '')
const addModule = async (code: string, dependencies: string[] = [], otherFields: object = {}, intent?: string) => {
  const body = { name: `Module ${code}`, code, type: 'saas' as const, dependencies, ...otherFields }
  return readIntent(await tablet.api.call(createModule, { body }, intent === undefined ? {} : { intent }))
}
const createActions = () => createOutboxActions(tablet.ports)
const readCodes = async () => {
  const rows = await bypassPolicies(installation.server.app.database, (db) =>
    db.selectFrom('module').select('code').where('deleted', '=', false).execute(),
  )
  return rows.map(({ code }) => code)
}
/** Returns a module that existed before the test, from this device's cached rows. */
async function findKnownModule(code: string) {
  const view = await tablet.list(listModules, { filters: { type: 'saas' }, results: 200, page: 1 })
  const module = view.rows.find(({ row }) => (row as unknown as { code: string }).code === code)
  if (!module) throw new Error(`no module ${code}`)
  return module
}
async function change(code: string, body: object, valuesBefore: object) {
  const row = await findKnownModule(code)
  const base = { rowVersion: getBaseVersion(row), values: valuesBefore as Record<string, unknown> }
  return readIntent(await tablet.api.call(updateModule, { params: { id: row.row.id }, body }, { base }))
}
async function remove(code: string) {
  const row = await findKnownModule(code)
  const base = { rowVersion: getBaseVersion(row), values: {} }
  return readIntent(await tablet.api.call(deleteModule, { params: { id: row.row.id } }, { base }))
}

/** Cuts requests for which `isCut` returns true before they reach the server, and responses for which `isAnswerCut` returns true. */
function cutRequests(
  isCut: (body: string, requestNumber: number) => boolean,
  isAnswerCut: (requestNumber: number) => boolean = () => false,
) {
  const { network } = tablet.ports
  let requestNumber = 0
  tablet.connection.state = 'up'
  tablet.ports.network = async (request) => {
    if (!request.url.includes('/api/module') && !request.url.includes('/api/batch')) return await network(request)
    requestNumber += 1
    if (isCut(await request.clone().text(), requestNumber)) throw new TypeError('Failed to fetch')
    const response = await network(request)
    if (isAnswerCut(requestNumber)) throw new TypeError('Failed to fetch')
    return response
  }
}

/** Sends due writes and advances the clock, without any action of the user. */
async function sendAll(rounds = 60, stepMs = 1_500) {
  for (let round = 0; round < rounds && (await tablet.countWaiting()) > 0; round++) {
    await sendOutbox(tablet.ports)
    await installation.clock.advance(stepMs)
  }
  await tablet.settle()
}
const readEntryStates = async () =>
  (await tablet.entries()).map(({ intent, state, problem }) => ({ intent, state, code: problem?.code }))

it('Dependent modules arrive in order if the request that creates the first module is cut twice (fault 42a)', async () => {
  await addModule('first')
  await addModule('second', ['first'])
  await addModule('third', ['second'])
  await addModule('fourth', ['first', 'third'])
  await addModule('fifth', ['fourth'])
  let cutCount = 0
  cutRequests((body) => body.includes('"code":"first"') && cutCount++ < 2)
  await sendAll()
  expect(await readEntryStates()).toEqual([])
  expect(await readCodes()).toEqual(expect.arrayContaining(['first', 'second', 'third', 'fourth', 'fifth']))
})

it.each([1, 2, 3])(
  'Dependent modules arrive in order over a connection that often fails (seed %i, fault 42a)',
  async (seed) => {
    const random = createRandom(seed)
    for (let index = 0; index < 12; index++)
      await addModule(`m${index}`, index === 0 ? [] : [`m${index - 1}`, `m${Math.floor(random() * index)}`])
    cutRequests(
      () => random() < 0.4,
      () => random() < 0.3,
    )
    await sendAll(200, 31_000)
    expect(await readEntryStates()).toEqual([])
    expect(await readCodes()).toEqual(expect.arrayContaining(Array.from({ length: 12 }, (_, index) => `m${index}`)))
  },
)

it('A change or a hidden module waits for the unsent module that it refers to (fault 42a)', async () => {
  await addModule('fresh')
  await change('core', { dependencies: ['fresh'] }, { dependencies: [] })
  const [, entry] = await tablet.entries()
  const [first] = await tablet.entries()
  expect(entry?.dependsOn).toEqual([first?.intent])
  // The conditions of a hidden module refer to modules too.
  await addModule('joining', [], { hidden: true, conditions: ['fresh'] })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([first?.intent])
})

it('A price list waits for an unsent module that it prices (fault 42a)', async () => {
  const module = await addModule('priced')
  const row = { code: 'priced', hkd: '1.00', usd: '1.00', rmb: '1.00' }
  const body = { type: 'saas' as const, effective_date: '2027-01-01', desc: 'Next', module: [row] }
  await tablet.api.call(createPriceList, { body })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([module])
})

it('A write that frees a name is sent after writes that need it and before its reuse (fault 42a)', async () => {
  await addModule('gone')
  cutRequests(() => false)
  await sendAll()
  await tablet.api.call(listModules, { query: { results: 50 } })
  await tablet.settle()
  tablet.connection.state = 'down'
  const neededIntent = await addModule('needing', ['gone'])
  const releaseIntent = await change('core', { dependencies: ['gone'] }, { dependencies: [] })
  const removeIntent = await remove('gone')
  const recreateIntent = await addModule('gone')
  const entries = new Map((await tablet.entries()).map((entry) => [entry.intent, entry]))
  expect(entries.get(removeIntent)?.dependsOn.toSorted()).toEqual([neededIntent, releaseIntent].toSorted())
  expect(entries.get(recreateIntent)?.dependsOn).toContain(removeIntent)
  // A write that is only ordered after another write is not a dependent of it.
  expect(await createActions().findDependents(neededIntent)).toEqual([])
})

it('A user with the address of a deleted user is invited after the deletion (fault 42a)', async () => {
  const { companies, users } = await installation.server.reset()
  const admin = await installation.signInTablet('admin@alpha')
  await admin.api.call(listUsers, { params: { companyId: companies.alpha } })
  await admin.settle()
  admin.connection.state = 'down'
  const id = users['invited@alpha'] ?? 0
  const row = (await admin.row('users', id))?.row as unknown as { email: string; row_version: number }
  const base = { rowVersion: row.row_version, values: {} }
  const deleted = readIntent(await admin.api.call(deleteUser, { params: { id } }, { base }))
  const invitation = { title: 0 as const, name: 'Back again', email: row.email.toUpperCase() }
  await admin.api.call(createUser, { body: invitation })
  expect((await admin.entries()).at(-1)?.dependsOn).toEqual([deleted])
})

it('A price list for the day of a deleted one is created after the deletion (fault 42a)', async () => {
  const createIntent = readIntent(
    await tablet.api.call(createPriceList, { body: { type: 'saas', effective_date: '2027-01-01', desc: 'One' } }),
  )
  // The creation is sent once, so that the deletion does not cancel it.
  tablet.connection.state = 'answers lost'
  await tablet.tick()
  tablet.connection.state = 'down'
  const removeIntent = readIntent(
    await tablet.api.call(
      deletePriceList,
      { params: { id: `~${createIntent}` } },
      { base: { rowVersion: `~${createIntent}`, values: {} } },
    ),
  )
  await tablet.api.call(createPriceList, { body: { type: 'saas', effective_date: '2027-01-01', desc: 'Two' } })
  expect((await tablet.entries()).at(-1)?.dependsOn).toEqual([removeIntent])
})

describe('the wait reason (fault 42b)', () => {
  it('refers to the earlier write, or to the refused write at the start of a chain', async () => {
    const first = await addModule('first', ['nowhere'])
    const second = await addModule('second', ['first'])
    const third = await addModule('third', ['second'])
    expect(await createActions().getWaitReason(second)).toEqual({ kind: 'needs', intent: first, state: 'waiting' })
    expect(await createActions().getWaitReason(third)).toEqual({ kind: 'needs', intent: second, state: 'waiting' })
    cutRequests(() => false)
    await sendAll(5)
    expect(await createActions().getWaitReason(second)).toEqual({ kind: 'needs', intent: first, state: 'refused' })
    expect(await createActions().getWaitReason(third)).toEqual({ kind: 'needs', intent: first, state: 'refused' })
  })

  it('reports that a write waits behind an earlier write that needs review', async () => {
    await addModule('first', ['nowhere'])
    cutRequests(() => false)
    await sendAll(3)
    const body = { name: 'Second', code: 'second', type: 'saas' as const, dependencies: ['first'] }
    const result = await tablet.api.call(createModule, { body })
    expect(result).toMatchObject({ kind: 'queued', holdReason: { problem: null, isBehind: true } })
  })
})

describe('editing and discarding writes that others depend on (fault 42c)', () => {
  it('an edited write waits for every unsent row that it names, and for none if it names none', async () => {
    const first = await addModule('first')
    const other = await addModule('other')
    const second = await addModule('second', ['first'])
    const dependsOn = async () => (await tablet.entries()).find(({ intent }) => intent === second)?.dependsOn
    const body = { name: 'Second', code: 'second', type: 'saas' as const }
    await createActions().fix(second, { body: { ...body, dependencies: ['first', 'other'] } })
    expect((await dependsOn())?.toSorted()).toEqual([first, other].toSorted())
    await createActions().fix(second, { body: { ...body, dependencies: [] } })
    expect(await dependsOn()).toEqual([])
  })

  it('a refused write that is resent waits for rows created since then, but not for its own dependents', async () => {
    const second = await addModule('second', ['first'])
    cutRequests(() => false)
    await sendAll(3)
    expect(await readEntryStates()).toMatchObject([{ state: 'refused', code: 'VALIDATION_ERROR' }])
    tablet.connection.state = 'down'
    const first = await addModule('first')
    const third = await addModule('third', ['second'])
    await createActions().retry(second)
    await tablet.settle()
    const entries = new Map((await tablet.entries()).map((entry) => [entry.intent, entry]))
    expect(entries.get(second)?.dependsOn).toEqual([first])
    expect(entries.get(third)?.dependsOn).toEqual([second])
    tablet.connection.state = 'up'
    await sendAll()
    expect(await readEntryStates()).toEqual([])
    expect(await readCodes()).toEqual(expect.arrayContaining(['first', 'second', 'third']))
  })

  it('discarding a module lists all its dependents and discards them too', async () => {
    const first = await addModule('first')
    const second = await addModule('second', ['first'])
    const third = await addModule('third', ['second'])
    await addModule('apart')
    expect(await createActions().findDependents(first)).toEqual([second, third])
    tablet.connection.state = 'up'
    await createActions().drop(first)
    await sendAll()
    expect(await readEntryStates()).toEqual([])
    expect((await readCodes()).filter((code) => ['first', 'second', 'third', 'apart'].includes(code))).toEqual([
      'apart',
    ])
  })

  it('a write refused because the row exists is discarded alone, and its dependents are sent', async () => {
    const first = await addModule('core')
    const second = await addModule('second', ['core'])
    cutRequests(() => false)
    await sendAll(3)
    expect(await createActions().getWaitReason(second)).toEqual({ kind: 'needs', intent: first, state: 'refused' })
    expect(await createActions().findDependents(first)).toEqual([])
    await createActions().drop(first)
    await sendAll()
    expect(await readEntryStates()).toEqual([])
    expect(await readCodes()).toContain('second')
  })
})
