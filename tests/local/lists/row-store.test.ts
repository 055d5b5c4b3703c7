import { describe, expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { besideRows, type UserDatabase } from '#local/storage/database.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storeWhole } from '#local/lists/bulk-load.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { removeRow } from '#local/lists/row-store.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'
import {
  aDraft,
  aUser,
  company,
  list,
  firstPage,
  keptDevice,
  pageAnswer,
} from '#tests/support/device/device-database.ts'

const names = (view: Awaited<ReturnType<typeof readListOn>>) => view.rows.map(({ row }) => row.id)

describe('rows from the server', () => {
  it('are put only if they are not older than what is there', async () => {
    const { db, generation } = await keptDevice()
    const page = (version: number, asOf: number) =>
      storePage(db, list, firstPage, pageAnswer([aUser(1, { row_version: version })], asOf), generation)
    await page(5, 200)
    await page(4, 300)
    expect((await db.table('users').get(1)).version).toBe(5)
    await page(6, 250)
    expect((await db.table('users').get(1)).version).toBe(6)
  })

  it('do not raise a row that was seen to be deleted after they were read', async () => {
    const { db, generation } = await keptDevice()
    const read = (row: ReturnType<typeof aUser>, asOf: number) =>
      storePage(db, list, firstPage, pageAnswer([row], asOf), generation)
    const count = () => db.table('users').count()
    await read(aUser(1), 100)
    await transact(db, ['users', ...besideRows], async () => await removeRow(db, 'users', 1, 300))
    await read(aUser(1), 200)
    expect(await count()).toBe(0)
    // Marked as deleted, the row has a newer version: that is no ghost, whatever this device's clock said.
    await read(aUser(1, { row_version: 2, status: -2 }), 200)
    expect(await count()).toBe(1)
  })

  it('are not stored for a session that ended while they were on their way', async () => {
    const { db, device, generation } = await keptDevice()
    await markSignedOut(device)
    await openSession(device, { companyId: company, userId: 1 })
    expect(await storePage(db, list, firstPage, pageAnswer([aUser(1)], 200), generation)).toBe(false)
    expect(await db.table('users').count()).toBe(0)
  })

  it('go when a reading of their stretch no longer has them (protocol 35)', async () => {
    const { db, generation } = await keptDevice()
    const all = [1, 2, 3, 4].map((id) => aUser(id))
    await storePage(db, list, firstPage, pageAnswer(all, 100), generation)
    const [first, , third] = all
    await storePage(
      db,
      list,
      { ...firstPage, results: 2 },
      pageAnswer([first, third] as typeof all, 200, '2', 3),
      generation,
    )
    // 2 lies between 1 and 3 and is not there any more; 4 lies behind what was read.
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 3, 4])
  })

  it('are not written again where nothing has changed since the whole list was read: only its time is', async () => {
    const { db, device, generation } = await keptDevice()
    const all = [1, 2, 3].map((id) => aUser(id))
    const whole = { changed: all, gone: [], upto: 7, asOf: 100 }
    await storeChanges(db, list, company, whole, { all: true, generation })
    await storePage(db, list, firstPage, pageAnswer(all, 200, '7'), generation)
    expect((await db.table('users').get(1)).asOf).toBe(100)
    expect(await db.coverage.count()).toBe(0)
    expect(await readListOn(device, list, firstPage)).toMatchObject({ complete: true, asOf: 200, count: 3 })
    // Later the number is another, so the rows are written.
    await storePage(db, list, firstPage, pageAnswer(all, 300, '8'), generation)
    expect((await db.table('users').get(1)).asOf).toBe(300)
  })

  it('are written where one of them is not here as it was answered, whatever the number says', async () => {
    const { db, generation } = await keptDevice()
    const whole = { changed: [aUser(1), aUser(2)], gone: [], upto: 7, asOf: 100 }
    await storeChanges(db, list, company, whole, { all: true, generation })
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2), aUser(3)], 200, '7'), generation)
    expect(await db.table('users').count()).toBe(3)
    await storePage(db, list, firstPage, pageAnswer([aUser(1, { row_version: 2 })], 300, '7', 3), generation)
    expect((await db.table('users').get(1)).version).toBe(2)
  })

  it('are written where one says something else under the same version: what follows from the day has none', async () => {
    const { db, generation } = await keptDevice()
    const whole = { changed: [aUser(1), aUser(2)], gone: [], upto: 7, asOf: 100 }
    await storeChanges(db, list, company, whole, { all: true, generation })
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2, { status: -1 })], 200, '7', 2), generation)
    expect((await db.table('users').get(2)).row).toMatchObject({ status: -1 })
  })

  it('stay when they came after the reading that lacks them', async () => {
    const { db, generation } = await keptDevice()
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2)], 300), generation)
    await storePage(db, list, firstPage, pageAnswer([aUser(1)], 200), generation)
    expect(await db.table('users').count()).toBe(2)
  })
})

describe('how much of a list is here', () => {
  it('says which part was read, and as of when', async () => {
    const { db, device, generation } = await keptDevice()
    const rows = Array.from({ length: 10 }, (_, at) => aUser(at + 1))
    await storePage(db, list, firstPage, pageAnswer(rows, 500, '1', 62), generation)
    const view = await readListOn(device, list, firstPage)
    expect(view).toMatchObject({ here: 10, total: 62, asOf: 500, complete: false, count: 62 })
  })

  it('says what an unasked filter was looked for in, and an empty answer is one (P-12)', async () => {
    const { db, device, generation } = await keptDevice()
    const rows = Array.from({ length: 10 }, (_, at) => aUser(at + 1, at < 3 ? { name: 'Ada' } : {}))
    await storePage(db, list, firstPage, pageAnswer(rows, 500, '1', 58), generation)
    const ask = (searchText: string) => readListOn(device, list, { ...firstPage, filters: { searchText } })
    const searched = { here: 10, total: 58 }
    expect(await ask('ada')).toMatchObject({ count: 3, total: null, asOf: 500, complete: false, searched })
    expect(await ask('nobody')).toMatchObject({ count: 0, asOf: 500, complete: false, searched })
    expect(await ask('')).toMatchObject({ count: 58, searched: null })
    await transact(db, ['users', ...besideRows], async () => await makeIndex(db, list, company))
    expect(await ask('ada')).toMatchObject({ count: 3, asOf: 500, complete: false, searched })
    expect(await ask('nobody')).toMatchObject({ count: 0, asOf: 500, searched })
    // Nobody has counted what the rows of a narrower filter are part of.
    await db.coverage.clear()
    expect(await ask('ada')).toMatchObject({ searched: { here: 10, total: null } })
  })

  it('counts the waiting writes of the list, whatever the filter', async () => {
    const { db, device, generation } = await keptDevice()
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2)], 500), generation)
    const input = { params: { companyId: company }, body: { name: 'Eva', email: 'eva@acme.example', title: 1 } }
    const made = { endpoint: 'createUser', target: null, action: 'create', input, versioned: false } as const
    for (const draft of [aDraft(made), aDraft({ target: 2 }), aDraft({ target: 77 })]) await enqueue(db, draft)
    const ask = async () => (await readListOn(device, list, { ...firstPage, filters: { searchText: 'user' } })).pending
    expect(await ask()).toBe(2)
    await transact(db, ['users', ...besideRows], async () => await makeIndex(db, list, company))
    expect(await ask()).toBe(2)
  })

  it('is all of it once every page was read with nothing changed in between (protocol 34)', async () => {
    const { db, device, generation } = await keptDevice()
    const rows = [1, 2, 3, 4].map((id) => aUser(id))
    const two = { ...firstPage, results: 2 }
    await storePage(db, list, two, pageAnswer(rows.slice(0, 2), 100, '1', 4), generation)
    await storePage(db, list, { ...two, page: 2 }, pageAnswer(rows.slice(2), 200, '1', 4), generation)
    expect(await readListOn(device, list, firstPage)).toMatchObject({ complete: true, asOf: 100, here: 4 })
  })

  it('is not all of it when something changed between the pages', async () => {
    const { db, device, generation } = await keptDevice()
    const rows = [1, 2, 3, 4].map((id) => aUser(id))
    const two = { ...firstPage, results: 2 }
    await storePage(db, list, two, pageAnswer(rows.slice(0, 2), 100, '1', 4), generation)
    await storePage(db, list, { ...two, page: 2 }, pageAnswer(rows.slice(2), 200, '2', 4), generation)
    expect((await readListOn(device, list, firstPage)).complete).toBe(false)
  })

  it('covers narrower filters too, but not rows that the reading hid', async () => {
    const { db, device, generation } = await keptDevice()
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2, { status: 0 })], 100), generation)
    const ask = (filters: Record<string, string | number | boolean>) =>
      readListOn(device, list, { ...firstPage, filters })
    expect((await ask({ statusType: 0 })).complete).toBe(true)
    expect((await ask({ searchText: 'user' })).complete).toBe(true)
    expect((await ask({ includedDel: true })).complete).toBe(false)
    expect((await ask({ statusType: -2 })).complete).toBe(false)
  })

  it('shows a page as the server ordered it while the rest is not here', async () => {
    const { db, device, generation } = await keptDevice()
    const third = { ...firstPage, page: 3 }
    await storePage(db, list, third, pageAnswer([aUser(21), aUser(22)], 100, '1', 62), generation)
    expect(names(await readListOn(device, list, third))).toEqual([21, 22])
    expect(names(await readListOn(device, list, { ...firstPage, page: 2 }))).toEqual([])
  })

  it('is whole after a fill, and no longer when a row left without our knowing where to', async () => {
    const { db, device, generation } = await keptDevice()
    const changes = { changed: [aUser(1), aUser(2, { status: -2 })], gone: [], upto: 4, asOf: 100 }
    await storeChanges(db, list, company, changes, { all: true, generation })
    const deleted = { ...firstPage, filters: { includedDel: true } }
    expect(await readListOn(device, list, deleted)).toMatchObject({ complete: true, asOf: 100, here: 2 })
    await storePage(db, list, firstPage, pageAnswer([], 200, '5', 0), generation)
    expect((await readListOn(device, list, deleted)).complete).toBe(false)
    const caughtUp = { changed: [aUser(1, { status: -2, row_version: 2 })], gone: [], upto: 5, asOf: 300 }
    await storeChanges(db, list, company, caughtUp, { all: false, generation })
    expect(await readListOn(device, list, deleted)).toMatchObject({ complete: true, asOf: 300, here: 2 })
  })

  it('takes away what a whole reading lacks and what the server names as gone', async () => {
    const { db, generation } = await keptDevice()
    await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2), aUser(3)], 100), generation)
    const all = { changed: [aUser(1), aUser(2)], gone: [], upto: 2, asOf: 200 }
    await storeChanges(db, list, company, all, { all: true, generation })
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 2])
    await storeChanges(db, list, company, { changed: [], gone: [2], upto: 3, asOf: 300 }, { all: false, generation })
    expect(await db.table('users').toCollection().primaryKeys()).toEqual([1])
  })
  it('fault 3b keeps what a whole reading left out, and does not take it for the whole', async () => {
    const all = { changed: [aUser(1)], gone: [], upto: 2, asOf: 200, leftOut: new Set([2]) }
    const fills = [
      (db: UserDatabase, generation: number) => storeChanges(db, list, company, all, { all: true, generation }),
      (db: UserDatabase, generation: number) =>
        storeWhole(db, list, company, { ...all, pieces: [all.changed] }, generation),
    ]
    for (const fill of fills) {
      const { db, device, generation } = await keptDevice()
      await storePage(db, list, firstPage, pageAnswer([aUser(1), aUser(2), aUser(3)], 100, '1', 62), generation)
      await fill(db, generation)
      expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 2])
      const view = await readListOn(device, list, firstPage)
      expect([names(view), view.complete]).toEqual([[1, 2], false])
    }
  })
})
