/** Tests price lists on a device: actions that may wait offline, and actions that may not (D81, protocol 13). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  deletePriceList,
  getPriceList,
  importPriceList,
  listPriceLists,
  rehearsePriceList,
  updatePriceList,
} from '#contract/prices.ts'
import { reinstatePriceList } from '#contract/staff/withdrawn-price-lists.ts'
import { readUnknownCalls } from '#local/outbox/direct-calls.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runAllJobs } from '#tests/server/jobs/requests.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { tick } from '#tests/support/pages/long-requests.ts'
import { openShop } from '#tests/support/orders/shop-data.ts'

let installation: Installation
let currentListId: number
let laterListId: number
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  await installation.server.reset()
  const [first = 0, second = 0] = await openShop(installation.server)
  currentListId = first
  laterListId = second
})

async function signInStaff(): Promise<Tablet> {
  const tablet = await installation.signInTablet('admin@m18')
  await tablet.api.call(listPriceLists, { query: { results: 50 } })
  await tablet.settle()
  return tablet
}
const readStoredList = (id: number) =>
  bypassPolicies(installation.server.app.database, (db) =>
    db.selectFrom('price_list').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  )
const unconfirm = (id: number) =>
  bypassPolicies(installation.server.app.database, (db) =>
    db.updateTable('price_list').set({ confirmed: false }).where('id', '=', id).execute(),
  )
const readBase = async (tablet: Tablet, id: number) => {
  const row = await tablet.row('price_lists', id)
  if (!row) throw new Error('the list is not here')
  return { base: { rowVersion: getBaseVersion(row), values: {} } }
}

describe('withdrawing a confirmed list', () => {
  const withdraw = async (tablet: Tablet, id: number) =>
    tablet.api.call(deletePriceList, { params: { id }, query: { withdraw: true } }, await readBase(tablet, id))

  it('is never queued: offline it returns NEEDS_CONNECTION, and nothing is sent later', async () => {
    const tablet = await signInStaff()
    tablet.connection.state = 'down'
    expect(await withdraw(tablet, laterListId)).toMatchObject({
      kind: 'problem',
      problem: { code: 'NEEDS_CONNECTION' },
    })
    expect(await tablet.countWaiting()).toBe(0)
    expect(await tablet.row('price_lists', laterListId)).toMatchObject({ waiting: null })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await readStoredList(laterListId)).toMatchObject({ deleted: false })
  })

  it('takes effect online, and is refused for the list in force', async () => {
    const tablet = await signInStaff()
    expect(await withdraw(tablet, laterListId)).toMatchObject({ kind: 'fresh' })
    expect(await readStoredList(laterListId)).toMatchObject({ deleted: true })
    expect(await withdraw(tablet, currentListId)).toMatchObject({
      kind: 'problem',
      problem: { code: 'STATE_CONFLICT', data: { why: 'inForce' } },
    })
  })
})

describe('a withdrawn list on a device', () => {
  it('stays stored with all its fields, and is listed offline only under filters that include it (fault 11f)', async () => {
    const tablet = await signInStaff()
    await tablet.api.call(
      deletePriceList,
      { params: { id: laterListId }, query: { withdraw: true } },
      await readBase(tablet, laterListId),
    )
    const listPrices = (query: object) => tablet.api.call(listPriceLists, { query: { results: 50, ...query } })
    await listPrices({})
    await tablet.settle()
    expect(await tablet.row('price_lists', laterListId)).toMatchObject({ row: { confirmed: true, withdrawn: true } })
    await tablet.api.call(getPriceList, { params: { id: laterListId } })
    tablet.connection.state = 'down'
    const ids = async (query: object) => {
      const result = await listPrices(query)
      if (!('output' in result) || !result.output || !('data' in result.output)) throw new Error('no rows are here')
      return result.output.data.map(({ id }) => id).toSorted()
    }
    expect(await ids({})).toEqual([currentListId])
    expect(await ids({ withdrawn: true })).toEqual([laterListId])
    expect(await ids({ includedWithdrawn: true })).toEqual([currentListId, laterListId].toSorted())
    expect(await tablet.api.call(getPriceList, { params: { id: laterListId } })).toMatchObject({
      kind: 'cached',
      output: { withdrawn: true },
    })
  })

  it('is reinstated only online, and is confirmed again afterwards (fault 11d)', async () => {
    const tablet = await signInStaff()
    await tablet.api.call(
      deletePriceList,
      { params: { id: laterListId }, query: { withdraw: true } },
      await readBase(tablet, laterListId),
    )
    await tablet.api.call(listPriceLists, { query: { results: 50 } })
    await tablet.settle()
    const reinstate = async () =>
      tablet.api.call(reinstatePriceList, { params: { id: laterListId } }, await readBase(tablet, laterListId))
    tablet.connection.state = 'down'
    expect(await reinstate()).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await tablet.countWaiting()).toBe(0)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await reinstate()).toMatchObject({ kind: 'fresh', output: { withdrawn: false } })
    expect(await readStoredList(laterListId)).toMatchObject({ deleted: false, confirmed: true })
  })
})

describe('deleting an unconfirmed list', () => {
  const remove = async (tablet: Tablet, id: number) =>
    tablet.api.call(deletePriceList, { params: { id } }, await readBase(tablet, id))

  it('is queued offline and sent when online', async () => {
    await unconfirm(laterListId)
    const tablet = await signInStaff()
    tablet.connection.state = 'down'
    expect((await remove(tablet, laterListId)).kind).toBe('queued')
    expect(await tablet.countWaiting()).toBe(1)
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await readStoredList(laterListId)).toMatchObject({ deleted: true })
  })

  it('is a conflict if somebody confirmed the list in the meantime, and the list stays', async () => {
    await unconfirm(laterListId)
    const [tablet, other] = [await signInStaff(), await signInStaff()]
    tablet.connection.state = 'down'
    await remove(tablet, laterListId)
    const confirmed = await other.api.call(
      updatePriceList,
      { body: { id: laterListId, confirmed: true } },
      await readBase(other, laterListId),
    )
    expect(confirmed).toMatchObject({ kind: 'fresh', output: { confirmed: true } })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'conflict', problem: { code: 'VERSION_CONFLICT' } }])
    expect(await readStoredList(laterListId)).toMatchObject({ deleted: false, confirmed: true })
  })
})

describe('changing an unconfirmed list', () => {
  it("is merged with another user's change of other parts, despite new row ids (fault 33a)", async () => {
    await unconfirm(laterListId)
    const [tablet, other] = [await signInStaff(), await signInStaff()]
    const readResult = await tablet.api.call(getPriceList, { params: { id: laterListId } })
    if (!('output' in readResult) || !readResult.output) throw new Error('the list was not read')
    const { concurrentUser, namedUser, module, pdbPrice } = readResult.output
    const removeIds = <R extends { id: number }>(rows: readonly R[]) => rows.map(({ id: _id, ...row }) => row)
    const listBefore = {
      concurrentUser: removeIds(concurrentUser),
      namedUser: removeIds(namedUser),
      module: removeIds(module),
      pdbPrice,
      desc: readResult.output.desc,
    }
    const changed = listBefore.concurrentUser.map((range, index) =>
      index === 0 ? { ...range, hkd: '1300.00' } : range,
    )
    const { base } = await readBase(tablet, laterListId)
    tablet.connection.state = 'down'
    const input = { body: { id: laterListId, concurrentUser: changed } }
    expect((await tablet.api.call(updatePriceList, input, { base: { ...base, values: listBefore } })).kind).toBe(
      'queued',
    )
    const otherResult = await other.api.call(
      updatePriceList,
      { body: { id: laterListId, desc: 'Other' } },
      await readBase(other, laterListId),
    )
    expect(otherResult.kind).toBe('fresh')
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readStoredList(laterListId)).toMatchObject({
      description: 'Other',
      content: { concurrentUser: [{ hkd: '1300.00' }, {}, {}] },
    })
  })
})

describe('a call whose response is lost', () => {
  it('is stored with the name of the list that it withdraws, confirms, reinstates or imports (fault 33d)', async () => {
    const tablet = await signInStaff()
    const row = await tablet.row('price_lists', laterListId)
    const name = (row?.row as { effective_date?: string; desc?: string } | undefined) ?? {}
    const listName = `${name.effective_date} · saas · ${name.desc}`
    tablet.connection.state = 'answers lost'
    await tablet.api.call(
      deletePriceList,
      { params: { id: laterListId }, query: { withdraw: true } },
      await readBase(tablet, laterListId),
    )
    await tablet.api.call(
      updatePriceList,
      { body: { id: laterListId, confirmed: true } },
      await readBase(tablet, laterListId),
    )
    await tablet.api.call(reinstatePriceList, { params: { id: laterListId } }, await readBase(tablet, laterListId))
    await tablet.api.call(importPriceList, { body: { md5: 'a'.repeat(32) } }, { recordName: '2031-01-01 · saas · New' })
    const unknown = await readUnknownCalls(tablet.device)
    expect(new Map(unknown.map((call) => [call.endpoint, call.name]))).toEqual(
      new Map([
        ['deletePriceList', listName],
        ['updatePriceList', listName],
        ['reinstatePriceList', listName],
        ['importPriceList', '2031-01-01 · saas · New'],
      ]),
    )
  })
})

describe('a rehearsal', () => {
  it('returns one response when its job is done', async () => {
    const tablet = await signInStaff()
    const rehearsal = tablet.api.call(rehearsePriceList, { body: { id: laterListId } })
    await expect.poll(countJobs).toBe(1)
    await runAllJobs(installation.server, requestJobKinds)
    await installation.clock.advance(1000)
    await tick(tablet)
    expect(await rehearsal).toMatchObject({ kind: 'fresh', output: { contracts: 0, failing: 0 } })
  })

  it('needs a connection', async () => {
    const tablet = await signInStaff()
    tablet.connection.state = 'down'
    const result = await tablet.api.call(rehearsePriceList, { body: { id: laterListId } })
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await countJobs()).toBe(0)
  })

  const countJobs = () =>
    bypassPolicies(
      installation.server.app.database,
      async (db) => (await db.selectFrom('job').select('id').execute()).length,
    )
})
