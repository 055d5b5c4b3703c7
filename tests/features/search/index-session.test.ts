/** Tests the index over the device's own database: reading, changes of rows, waiting writes, and the end of a session. */
import { afterEach, describe, expect, it } from 'vitest'
import { createUserSearchSource } from '#features/users/user-search-source.ts'
import { type IndexSession, startIndexSession } from '#features/search/index/index-session.ts'
import { loadPinyin } from '#features/search/matching/pinyin.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { storeChanges, storePage } from '#local/lists/response-store.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { markSignedOut } from '#local/session/session.ts'
import {
  buildNewEntry,
  buildPageResponse,
  buildUser,
  companyId,
  firstPage,
  openTestDevice,
  type TestDevice,
  userList,
} from '#tests/support/device/device-database.ts'

const source = createUserSearchSource(companyId)
const sessions: IndexSession[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.stop()
})

type Options = Parameters<typeof startIndexSession>[1]
async function start(
  { device }: TestDevice,
  recentKeys: string[] = [],
  sources = [source],
  options: Partial<Options> = {},
) {
  const session = startIndexSession(sources, { recentKeys, device, ...options })
  sessions.push(session)
  await expect.poll(() => session.getSnapshot().isReading).toBe(false)
  return session
}

function search(session: IndexSession, text: string) {
  const work = session.search(text, 10)
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value.map(({ item }) => item)
}
const searchLabels = (session: IndexSession, text: string) => search(session, text).map(({ label }) => label)

type Rows = ReturnType<typeof buildUser>[]
const storeAll = ({ db, generation }: TestDevice, changed: Rows, asOf: number, deletedIds: number[] = []) =>
  storeChanges(
    db,
    userList,
    companyId,
    { changed, deletedIds, changeNumber: asOf, asOf },
    { isComplete: asOf === 100, generation },
  )

const ada = buildUser(1, { name: 'Ada Wong' })
const chinese = buildUser(2, { name: '环球' })

describe('a search session', () => {
  it('finds the stored rows of its scope, which are not deleted users', async () => {
    const testDevice = await openTestDevice()
    await storeAll(testDevice, [ada, chinese, buildUser(3, { name: 'Ada Gone', status: -2 })], 100)
    const session = await start(testDevice)
    expect(search(session, 'ada')).toMatchObject([{ key: 'user 1', path: '/app/user?user=1', detail: ada.email }])
    expect(searchLabels(session, 'hq')).toEqual(['环球'])
    expect(session.getSnapshot().extents.users).toEqual({ total: null, isComplete: true, itemCount: 2 })
    expect(session.findItems(['user 2', 'user 9', 'user 1']).map(({ label }) => label)).toEqual(['环球', 'Ada Wong'])
    const otherSession = await start(testDevice, [], [createUserSearchSource(8)])
    expect(searchLabels(otherSession, 'ada')).toEqual([])
  })

  it('says of how many rows the device has a part', async () => {
    const testDevice = await openTestDevice()
    const { db, generation } = testDevice
    await storePage(db, userList, firstPage, buildPageResponse([ada], 100, '1', 8_431), generation)
    const session = await start(testDevice)
    expect(session.getSnapshot().extents.users).toEqual({ total: 8_431, isComplete: false, itemCount: 1 })
  })

  it('follows rows that are stored and deleted later, one by one and many at once', async () => {
    const testDevice = await openTestDevice()
    await storeAll(testDevice, [ada, chinese], 100)
    const session = await start(testDevice)
    await storeAll(testDevice, [buildUser(1, { name: 'Ada Chan', row_version: 2 })], 200)
    await expect.poll(() => searchLabels(session, 'ada')).toEqual(['Ada Chan'])
    await storeAll(testDevice, [], 300, [1])
    await expect.poll(() => searchLabels(session, 'ada')).toEqual([])
    const manyUsers = Array.from({ length: 120 }, (_, index) => buildUser(index + 10, { name: `Many ${index}` }))
    await storeAll(testDevice, manyUsers, 400)
    await expect.poll(() => session.getSnapshot().extents.users?.itemCount).toBe(121)
    expect(searchLabels(session, 'many 119')[0]).toBe('Many 119')
  })

  it('finds rows by their waiting writes, and by the stored row when a write is discarded', async () => {
    const testDevice = await openTestDevice()
    const { db } = testDevice
    await storeAll(testDevice, [ada], 100)
    const session = await start(testDevice)
    const change = buildNewEntry({ input: { params: { id: 1 }, body: { name: 'Eva Wong' } } })
    const creation = buildNewEntry({
      endpoint: 'createUser',
      target: null,
      action: 'create',
      input: { body: { name: 'New Person', email: 'new@acme.example', title: 0 } },
    })
    await enqueue(db, change)
    await enqueue(db, creation)
    await expect.poll(() => searchLabels(session, 'eva')).toEqual(['Eva Wong'])
    await expect
      .poll(() => search(session, 'new person').map(({ path }) => path))
      .toEqual([`/app/user?user=%7E${creation.intent}`])
    expect(searchLabels(session, 'ada')).toEqual([])
    await db.outbox.clear()
    await expect.poll(() => searchLabels(session, 'ada')).toEqual(['Ada Wong'])
    await expect.poll(() => searchLabels(session, 'new person')).toEqual([])
  })

  it('finds Chinese names by their characters until the readings are loaded, and then by these', async () => {
    const testDevice = await openTestDevice()
    await storeAll(testDevice, [ada, chinese], 100)
    const { promise: connection, resolve: connect } = Promise.withResolvers<void>()
    const load = async () => {
      await connection
      return await loadPinyin()
    }
    const session = await start(testDevice, [], [source], { readingsOptions: { load, waitMs: 0 } })
    expect(searchLabels(session, '环')).toEqual(['环球'])
    connect()
    await expect.poll(() => searchLabels(session, 'hq')).toEqual(['环球'])
  })

  it('says that a list could not be read, finds the others, and reads it again', async () => {
    const testDevice = await openTestDevice()
    await storeAll(testDevice, [ada], 100)
    let isBroken = true
    const brokenSource: SearchSource = {
      ...source,
      kind: 'customers',
      toKey: (id) => `customer ${id}`,
      toItems(row) {
        if (isBroken) throw new Error('not readable')
        return source.toItems(row).map((item) => ({ ...item, key: `customer ${row.id}`, label: 'Readable' }))
      },
    }
    const session = await start(testDevice, [], [brokenSource, source])
    expect(session.getSnapshot().hasFailed).toBe(true)
    expect(searchLabels(session, 'ada')).toEqual(['Ada Wong'])
    isBroken = false
    session.retry()
    await expect.poll(() => session.getSnapshot().hasFailed).toBe(false)
    expect(searchLabels(session, 'readable')).toEqual(['Readable'])
  })

  it('reads recent items first, and nothing of a session that has ended', async () => {
    const testDevice = await openTestDevice()
    await storeAll(testDevice, [ada], 100)
    const session = await start(testDevice, ['user 1', 'user x', 'contract 1', ''])
    expect(session.findItems(['user 1'])).toHaveLength(1)
    await markSignedOut(testDevice.device)
    expect(searchLabels(await start(testDevice, ['user 1']), 'ada')).toEqual([])
  })
})
