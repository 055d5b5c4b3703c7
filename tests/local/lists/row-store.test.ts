import { describe, expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { makeIndex } from '#local/list-index/list-index.ts'
import { listMetadataTables, type UserDatabase } from '#local/storage/database.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeCompleteList } from '#local/lists/store-complete-list.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { removeRow } from '#local/lists/row-store.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'
import {
  buildNewEntry,
  buildUser,
  companyId,
  userList,
  firstPage,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

const listIds = (view: Awaited<ReturnType<typeof readListOnDevice>>) => view.rows.map(({ row }) => row.id)

describe('rows from the server', () => {
  it('are stored only if they are not older than the cached row', async () => {
    const { db, generation } = await openTestDevice()
    const storeVersion = (version: number, asOf: number) =>
      storePage(db, userList, firstPage, buildPageResponse([buildUser(1, { row_version: version })], asOf), generation)
    await storeVersion(5, 200)
    await storeVersion(4, 300)
    expect((await db.table('users').get(1)).version).toBe(5)
    await storeVersion(6, 250)
    expect((await db.table('users').get(1)).version).toBe(6)
  })

  it('do not restore a row that was deleted after they were read', async () => {
    const { db, generation } = await openTestDevice()
    const storeRow = (row: ReturnType<typeof buildUser>, asOf: number) =>
      storePage(db, userList, firstPage, buildPageResponse([row], asOf), generation)
    const countUsers = () => db.table('users').count()
    await storeRow(buildUser(1), 100)
    await transact(db, ['users', ...listMetadataTables], async () => await removeRow(db, 'users', 1, 300))
    await storeRow(buildUser(1), 200)
    expect(await countUsers()).toBe(0)
    // A row that is marked as deleted has a newer version, so it is stored, even if the clock of this device differs.
    await storeRow(buildUser(1, { row_version: 2, status: -2 }), 200)
    expect(await countUsers()).toBe(1)
  })

  it('are not stored if their session ended before they arrived', async () => {
    const { db, device, generation } = await openTestDevice()
    await markSignedOut(device)
    await openSession(device, { companyId, userId: 1 })
    expect(await storePage(db, userList, firstPage, buildPageResponse([buildUser(1)], 200), generation)).toBe(false)
    expect(await db.table('users').count()).toBe(0)
  })

  it('are removed if a later read of their span does not contain them (protocol 35)', async () => {
    const { db, generation } = await openTestDevice()
    const all = [1, 2, 3, 4].map((id) => buildUser(id))
    await storePage(db, userList, firstPage, buildPageResponse(all, 100), generation)
    const [first, , third] = all
    await storePage(
      db,
      userList,
      { ...firstPage, results: 2 },
      buildPageResponse([first, third] as typeof all, 200, '2', 3),
      generation,
    )
    // Row 2 is between rows 1 and 3, and is missing in the response. Row 4 is after the span that was read.
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 3, 4])
  })

  it('are not written again if nothing changed since the complete read; only the time of the read is stored', async () => {
    const { db, device, generation } = await openTestDevice()
    const all = [1, 2, 3].map((id) => buildUser(id))
    const completeList = { changed: all, deletedIds: [], changeNumber: 7, asOf: 100 }
    await storeChanges(db, userList, companyId, completeList, { isComplete: true, generation })
    await storePage(db, userList, firstPage, buildPageResponse(all, 200, '7'), generation)
    expect((await db.table('users').get(1)).asOf).toBe(100)
    expect(await db.coverage.count()).toBe(0)
    expect(await readListOnDevice(device, userList, firstPage)).toMatchObject({ complete: true, asOf: 200, count: 3 })
    // A later response has another change number, so its rows are written.
    await storePage(db, userList, firstPage, buildPageResponse(all, 300, '8'), generation)
    expect((await db.table('users').get(1)).asOf).toBe(300)
  })

  it('are written if a row is not cached as in the response, even with an unchanged change number', async () => {
    const { db, generation } = await openTestDevice()
    const completeList = { changed: [buildUser(1), buildUser(2)], deletedIds: [], changeNumber: 7, asOf: 100 }
    await storeChanges(db, userList, companyId, completeList, { isComplete: true, generation })
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1), buildUser(2), buildUser(3)], 200, '7'),
      generation,
    )
    expect(await db.table('users').count()).toBe(3)
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1, { row_version: 2 })], 300, '7', 3),
      generation,
    )
    expect((await db.table('users').get(1)).version).toBe(2)
  })

  it('are written if a row differs under the same version, because derived values have no version', async () => {
    const { db, generation } = await openTestDevice()
    const completeList = { changed: [buildUser(1), buildUser(2)], deletedIds: [], changeNumber: 7, asOf: 100 }
    await storeChanges(db, userList, companyId, completeList, { isComplete: true, generation })
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1), buildUser(2, { status: -1 })], 200, '7', 2),
      generation,
    )
    expect((await db.table('users').get(2)).row).toMatchObject({ status: -1 })
  })

  it('are kept if they arrived after the read that lacks them', async () => {
    const { db, generation } = await openTestDevice()
    await storePage(db, userList, firstPage, buildPageResponse([buildUser(1), buildUser(2)], 300), generation)
    await storePage(db, userList, firstPage, buildPageResponse([buildUser(1)], 200), generation)
    expect(await db.table('users').count()).toBe(2)
  })
})

describe('the coverage of a list', () => {
  it('includes which part was read, and when', async () => {
    const { db, device, generation } = await openTestDevice()
    const rows = Array.from({ length: 10 }, (_, index) => buildUser(index + 1))
    await storePage(db, userList, firstPage, buildPageResponse(rows, 500, '1', 62), generation)
    const view = await readListOnDevice(device, userList, firstPage)
    expect(view).toMatchObject({ cachedCount: 10, total: 62, asOf: 500, complete: false, count: 62 })
  })

  it('includes the rows that an unread filter was searched in, even without a match (P-12)', async () => {
    const { db, device, generation } = await openTestDevice()
    const rows = Array.from({ length: 10 }, (_, index) => buildUser(index + 1, index < 3 ? { name: 'Ada' } : {}))
    await storePage(db, userList, firstPage, buildPageResponse(rows, 500, '1', 58), generation)
    const readView = (searchText: string) =>
      readListOnDevice(device, userList, { ...firstPage, filters: { searchText } })
    const searchScope = { cachedCount: 10, total: 58 }
    expect(await readView('ada')).toMatchObject({ count: 3, total: null, asOf: 500, complete: false, searchScope })
    expect(await readView('nobody')).toMatchObject({ count: 0, asOf: 500, complete: false, searchScope })
    expect(await readView('')).toMatchObject({ count: 58, searchScope: null })
    await transact(db, ['users', ...listMetadataTables], async () => await makeIndex(db, userList, companyId))
    expect(await readView('ada')).toMatchObject({ count: 3, asOf: 500, complete: false, searchScope })
    expect(await readView('nobody')).toMatchObject({ count: 0, asOf: 500, searchScope })
    // Without coverage, it is not known how many rows the list has in total.
    await db.coverage.clear()
    expect(await readView('ada')).toMatchObject({ searchScope: { cachedCount: 10, total: null } })
  })

  it('counts the waiting writes of the list under any filter', async () => {
    const { db, device, generation } = await openTestDevice()
    await storePage(db, userList, firstPage, buildPageResponse([buildUser(1), buildUser(2)], 500), generation)
    const input = { params: { companyId }, body: { name: 'Eva', email: 'eva@acme.example', title: 1 } }
    const creation = { endpoint: 'createUser', target: null, action: 'create', input, isVersioned: false } as const
    for (const draft of [buildNewEntry(creation), buildNewEntry({ target: 2 }), buildNewEntry({ target: 77 })])
      await enqueue(db, draft)
    const readView = async () =>
      (await readListOnDevice(device, userList, { ...firstPage, filters: { searchText: 'user' } })).pendingCount
    expect(await readView()).toBe(2)
    await transact(db, ['users', ...listMetadataTables], async () => await makeIndex(db, userList, companyId))
    expect(await readView()).toBe(2)
  })

  it('is complete once every page was read without a change in between (protocol 34)', async () => {
    const { db, device, generation } = await openTestDevice()
    const rows = [1, 2, 3, 4].map((id) => buildUser(id))
    const pageOfTwo = { ...firstPage, results: 2 }
    await storePage(db, userList, pageOfTwo, buildPageResponse(rows.slice(0, 2), 100, '1', 4), generation)
    await storePage(db, userList, { ...pageOfTwo, page: 2 }, buildPageResponse(rows.slice(2), 200, '1', 4), generation)
    expect(await readListOnDevice(device, userList, firstPage)).toMatchObject({
      complete: true,
      asOf: 100,
      cachedCount: 4,
    })
  })

  it('is incomplete if something changed between the pages', async () => {
    const { db, device, generation } = await openTestDevice()
    const rows = [1, 2, 3, 4].map((id) => buildUser(id))
    const pageOfTwo = { ...firstPage, results: 2 }
    await storePage(db, userList, pageOfTwo, buildPageResponse(rows.slice(0, 2), 100, '1', 4), generation)
    await storePage(db, userList, { ...pageOfTwo, page: 2 }, buildPageResponse(rows.slice(2), 200, '2', 4), generation)
    expect((await readListOnDevice(device, userList, firstPage)).complete).toBe(false)
  })

  it('includes narrower filters, but not rows that the read hid', async () => {
    const { db, device, generation } = await openTestDevice()
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1), buildUser(2, { status: 0 })], 100),
      generation,
    )
    const readView = (filters: Record<string, string | number | boolean>) =>
      readListOnDevice(device, userList, { ...firstPage, filters })
    expect((await readView({ statusType: 0 })).complete).toBe(true)
    expect((await readView({ searchText: 'user' })).complete).toBe(true)
    expect((await readView({ includedDel: true })).complete).toBe(false)
    expect((await readView({ statusType: -2 })).complete).toBe(false)
  })

  it('shows a page in the order of the server while the other rows are missing', async () => {
    const { db, device, generation } = await openTestDevice()
    const thirdPage = { ...firstPage, page: 3 }
    await storePage(
      db,
      userList,
      thirdPage,
      buildPageResponse([buildUser(21), buildUser(22)], 100, '1', 62),
      generation,
    )
    expect(listIds(await readListOnDevice(device, userList, thirdPage))).toEqual([21, 22])
    expect(listIds(await readListOnDevice(device, userList, { ...firstPage, page: 2 }))).toEqual([])
  })

  it('is complete after a complete read, but not after a row left the list for an unknown reason', async () => {
    const { db, device, generation } = await openTestDevice()
    const firstFill = {
      changed: [buildUser(1), buildUser(2, { status: -2 })],
      deletedIds: [],
      changeNumber: 4,
      asOf: 100,
    }
    await storeChanges(db, userList, companyId, firstFill, { isComplete: true, generation })
    const withDeletedQuery = { ...firstPage, filters: { includedDel: true } }
    expect(await readListOnDevice(device, userList, withDeletedQuery)).toMatchObject({
      complete: true,
      asOf: 100,
      cachedCount: 2,
    })
    await storePage(db, userList, firstPage, buildPageResponse([], 200, '5', 0), generation)
    expect((await readListOnDevice(device, userList, withDeletedQuery)).complete).toBe(false)
    const laterChanges = {
      changed: [buildUser(1, { status: -2, row_version: 2 })],
      deletedIds: [],
      changeNumber: 5,
      asOf: 300,
    }
    await storeChanges(db, userList, companyId, laterChanges, { isComplete: false, generation })
    expect(await readListOnDevice(device, userList, withDeletedQuery)).toMatchObject({
      complete: true,
      asOf: 300,
      cachedCount: 2,
    })
  })

  it('loses rows that a complete read lacks, and rows that the server names as deleted', async () => {
    const { db, generation } = await openTestDevice()
    await storePage(
      db,
      userList,
      firstPage,
      buildPageResponse([buildUser(1), buildUser(2), buildUser(3)], 100),
      generation,
    )
    const completeList = { changed: [buildUser(1), buildUser(2)], deletedIds: [], changeNumber: 2, asOf: 200 }
    await storeChanges(db, userList, companyId, completeList, { isComplete: true, generation })
    expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 2])
    await storeChanges(
      db,
      userList,
      companyId,
      { changed: [], deletedIds: [2], changeNumber: 3, asOf: 300 },
      { isComplete: false, generation },
    )
    expect(await db.table('users').toCollection().primaryKeys()).toEqual([1])
  })
  it('keeps rows that the server could not include in a complete read, and stays incomplete (fault 3b)', async () => {
    const partialList = {
      changed: [buildUser(1)],
      deletedIds: [],
      changeNumber: 2,
      asOf: 200,
      leftOutRows: new Set([2]),
    }
    const fillFunctions = [
      (db: UserDatabase, generation: number) =>
        storeChanges(db, userList, companyId, partialList, { isComplete: true, generation }),
      (db: UserDatabase, generation: number) =>
        storeCompleteList(db, userList, companyId, { ...partialList, pieces: [partialList.changed] }, generation),
    ]
    for (const storeFill of fillFunctions) {
      const { db, device, generation } = await openTestDevice()
      await storePage(
        db,
        userList,
        firstPage,
        buildPageResponse([buildUser(1), buildUser(2), buildUser(3)], 100, '1', 62),
        generation,
      )
      await storeFill(db, generation)
      expect((await db.table('users').toCollection().primaryKeys()).sort()).toEqual([1, 2])
      const view = await readListOnDevice(device, userList, firstPage)
      expect([listIds(view), view.complete]).toEqual([[1, 2], false])
    }
  })
})
