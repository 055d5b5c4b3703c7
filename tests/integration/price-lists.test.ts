/** Price lists from a device: what may wait without a line, and what never does (D81, protocol 13). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  deletePriceList,
  getPriceList,
  importPriceList,
  listPriceLists,
  rehearsePriceList,
  updatePriceList,
} from '#contract/prices.ts'
import { reinstatePriceList } from '#contract/price-lists/withdrawn.ts'
import { readUnknown } from '#local/outbox/direct-calls.ts'
import { versionOf } from '#local/lists/list-view.ts'
import { kinds } from '#server/jobs/registry.ts'
import { workAll } from '#tests/server/jobs/requests.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { tick } from '#tests/support/pages/long-requests.ts'
import { openShop } from '#tests/support/orders/shop-data.ts'

let app: Installation
let present: number
let later: number
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.server.reset()
  const [first = 0, second = 0] = await openShop(app.server)
  present = first
  later = second
})

async function atWork(): Promise<Tablet> {
  const tablet = await app.signedIn('admin@m18')
  await tablet.api.call(listPriceLists, { query: { results: 50 } })
  await tablet.rest()
  return tablet
}
const kept = (id: number) =>
  pastPolicies(app.server.app.database, (db) =>
    db.selectFrom('price_list').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  )
const unconfirm = (id: number) =>
  pastPolicies(app.server.app.database, (db) =>
    db.updateTable('price_list').set({ confirmed: false }).where('id', '=', id).execute(),
  )
const baseOf = async (tablet: Tablet, id: number) => {
  const shown = await tablet.row('price_lists', id)
  if (!shown) throw new Error('the list is not here')
  return { base: { rowVersion: versionOf(shown), values: {} } }
}

describe('withdrawing a confirmed list', () => {
  const withdraw = async (tablet: Tablet, id: number) =>
    tablet.api.call(deletePriceList, { params: { id }, query: { withdraw: true } }, await baseOf(tablet, id))

  it('never waits: without a line it says that it needs one, and nothing happens when there is one', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    expect(await withdraw(tablet, later)).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await tablet.waiting()).toBe(0)
    expect(await tablet.row('price_lists', later)).toMatchObject({ waiting: null })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await kept(later)).toMatchObject({ deleted: false })
  })

  it('goes at once with a line, and is refused at once for the one in force', async () => {
    const tablet = await atWork()
    expect(await withdraw(tablet, later)).toMatchObject({ kind: 'fresh' })
    expect(await kept(later)).toMatchObject({ deleted: true })
    expect(await withdraw(tablet, present)).toMatchObject({
      kind: 'problem',
      problem: { code: 'STATE_CONFLICT', data: { why: 'inForce' } },
    })
  })
})

describe('a withdrawn list on a device', () => {
  it('fault 11f stays in its storage, whole too, and is listed without a line under its filter alone', async () => {
    const tablet = await atWork()
    await tablet.api.call(
      deletePriceList,
      { params: { id: later }, query: { withdraw: true } },
      await baseOf(tablet, later),
    )
    const ask = (query: object) => tablet.api.call(listPriceLists, { query: { results: 50, ...query } })
    await ask({})
    await tablet.rest()
    expect(await tablet.row('price_lists', later)).toMatchObject({ row: { confirmed: true, withdrawn: true } })
    await tablet.api.call(getPriceList, { params: { id: later } })
    tablet.line.state = 'down'
    const ids = async (query: object) => {
      const result = await ask(query)
      if (!('output' in result) || !result.output || !('data' in result.output)) throw new Error('no rows are here')
      return result.output.data.map(({ id }) => id).toSorted()
    }
    expect(await ids({})).toEqual([present])
    expect(await ids({ withdrawn: true })).toEqual([later])
    expect(await ids({ includedWithdrawn: true })).toEqual([present, later].toSorted())
    expect(await tablet.api.call(getPriceList, { params: { id: later } })).toMatchObject({
      kind: 'kept',
      output: { withdrawn: true },
    })
  })

  it('fault 11d is reinstated with a line alone, and counts again', async () => {
    const tablet = await atWork()
    await tablet.api.call(
      deletePriceList,
      { params: { id: later }, query: { withdraw: true } },
      await baseOf(tablet, later),
    )
    await tablet.api.call(listPriceLists, { query: { results: 50 } })
    await tablet.rest()
    const reinstate = async () =>
      tablet.api.call(reinstatePriceList, { params: { id: later } }, await baseOf(tablet, later))
    tablet.line.state = 'down'
    expect(await reinstate()).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await tablet.waiting()).toBe(0)
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await reinstate()).toMatchObject({ kind: 'fresh', output: { withdrawn: false } })
    expect(await kept(later)).toMatchObject({ deleted: false, confirmed: true })
  })
})

describe('deleting an unconfirmed list', () => {
  const remove = async (tablet: Tablet, id: number) =>
    tablet.api.call(deletePriceList, { params: { id } }, await baseOf(tablet, id))

  it('waits without a line, and arrives with one', async () => {
    await unconfirm(later)
    const tablet = await atWork()
    tablet.line.state = 'down'
    expect((await remove(tablet, later)).kind).toBe('queued')
    expect(await tablet.waiting()).toBe(1)
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await kept(later)).toMatchObject({ deleted: true })
  })

  it('that somebody confirmed meanwhile is a conflict, and the list stays', async () => {
    await unconfirm(later)
    const [tablet, other] = [await atWork(), await atWork()]
    tablet.line.state = 'down'
    await remove(tablet, later)
    const confirmed = await other.api.call(
      updatePriceList,
      { body: { id: later, confirmed: true } },
      await baseOf(other, later),
    )
    expect(confirmed).toMatchObject({ kind: 'fresh', output: { confirmed: true } })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toMatchObject([{ state: 'conflict', problem: { code: 'VERSION_CONFLICT' } }])
    expect(await kept(later)).toMatchObject({ deleted: false, confirmed: true })
  })
})

describe('a change of an unconfirmed list', () => {
  it('fault 33a goes along with what somebody else changed of another part, whatever ids the server gave its rows', async () => {
    await unconfirm(later)
    const [tablet, other] = [await atWork(), await atWork()]
    const read = await tablet.api.call(getPriceList, { params: { id: later } })
    if (!('output' in read) || !read.output) throw new Error('the list was not read')
    const { concurrentUser, namedUser, module, pdbPrice } = read.output
    const plain = <R extends { id: number }>(rows: readonly R[]) => rows.map(({ id: _id, ...row }) => row)
    const before = {
      concurrentUser: plain(concurrentUser),
      namedUser: plain(namedUser),
      module: plain(module),
      pdbPrice,
      desc: read.output.desc,
    }
    const changed = before.concurrentUser.map((range, at) => (at === 0 ? { ...range, hkd: '1300.00' } : range))
    const { base } = await baseOf(tablet, later)
    tablet.line.state = 'down'
    const asked = { body: { id: later, concurrentUser: changed } }
    expect((await tablet.api.call(updatePriceList, asked, { base: { ...base, values: before } })).kind).toBe('queued')
    const said = await other.api.call(
      updatePriceList,
      { body: { id: later, desc: 'Other' } },
      await baseOf(other, later),
    )
    expect(said.kind).toBe('fresh')
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await kept(later)).toMatchObject({
      description: 'Other',
      content: { concurrentUser: [{ hkd: '1300.00' }, {}, {}] },
    })
  })
})

describe('a call whose answer is lost', () => {
  it('fault 33d names the list that is withdrawn, confirmed, reinstated or imported', async () => {
    const tablet = await atWork()
    const row = await tablet.row('price_lists', later)
    const name = (row?.row as { effective_date?: string; desc?: string } | undefined) ?? {}
    const listName = `${name.effective_date} · saas · ${name.desc}`
    tablet.line.state = 'answers lost'
    await tablet.api.call(
      deletePriceList,
      { params: { id: later }, query: { withdraw: true } },
      await baseOf(tablet, later),
    )
    await tablet.api.call(updatePriceList, { body: { id: later, confirmed: true } }, await baseOf(tablet, later))
    await tablet.api.call(reinstatePriceList, { params: { id: later } }, await baseOf(tablet, later))
    await tablet.api.call(importPriceList, { body: { md5: 'a'.repeat(32) } }, { recordName: '2031-01-01 · saas · New' })
    const unknown = await readUnknown(tablet.device)
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
  it('comes back as one answer when its work is done', async () => {
    const tablet = await atWork()
    const asked = tablet.api.call(rehearsePriceList, { body: { id: later } })
    await expect.poll(jobs).toBe(1)
    await workAll(app.server, kinds)
    await app.clock.turn(1000)
    await tick(tablet)
    expect(await asked).toMatchObject({ kind: 'fresh', output: { contracts: 0, failing: 0 } })
  })

  it('needs a line', async () => {
    const tablet = await atWork()
    tablet.line.state = 'down'
    const asked = await tablet.api.call(rehearsePriceList, { body: { id: later } })
    expect(asked).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await jobs()).toBe(0)
  })

  const jobs = () =>
    pastPolicies(app.server.app.database, async (db) => (await db.selectFrom('job').select('id').execute()).length)
})
