import { afterEach, describe, expect, it } from 'vitest'
import { keptTrail } from '#contract/audit-trail.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storeChanges, storePage, storeReading } from '#local/lists/response-store.ts'
import { clearCache, trimCache } from '#local/space/clear-cache.ts'
import { askToPersist } from '#local/space/persistence.ts'
import { readUsage } from '#local/space/usage.ts'
import { fillDisk, type FullDisk } from '#tests/support/device/full-disk.ts'
import {
  aDraft,
  aUser,
  company,
  list,
  firstPage,
  type Kept,
  keptDevice,
  pageAnswer,
} from '#tests/support/device/device-database.ts'

const trail = keptTrail
const happened = (id: number) => ({ id, code: 'user', end_time: '2026-01-01 00:00:00', row_version: 1, status: 0 })
const users = (count: number) => Array.from({ length: count }, (_, at) => aUser(at + 1))

/** Forty users read at 100, ten trail rows at 200. */
async function twoLists(): Promise<Kept> {
  const kept = await keptDevice()
  const { db, generation } = kept
  await storeChanges(db, list, company, { changed: users(40), gone: [], upto: 4, asOf: 100 }, { all: true, generation })
  const changed = Array.from({ length: 10 }, (_, at) => happened(at + 1))
  await storeChanges(db, trail, null, { changed, gone: [], upto: 4, asOf: 200 }, { all: true, generation })
  return kept
}
const tables = async ({ device }: Kept) => (await readUsage(device, {}))?.lists.map(({ table }) => table).sort()

let disk: FullDisk | undefined
afterEach(() => disk?.mend())

describe('what is kept', () => {
  it('is told by list: rows, bytes, age, whether it is all, and what the browser says of the whole', async () => {
    const { device } = await twoLists()
    const room = await readUsage(device, {
      estimate: () => Promise.resolve({ usage: 5_000, quota: 9_000 }),
      persisted: () => Promise.resolve(false),
    })
    expect(room).toMatchObject({ usage: 5_000, quota: 9_000, persisted: false })
    expect(room?.lists).toMatchObject([
      { table: 'users', scope: company, rows: 40, asOf: 100, newest: 100, complete: true },
      { table: 'trail', scope: null, rows: 10, asOf: 200, complete: true },
    ])
    const bytes = room?.lists[0]?.bytes ?? 0
    const asText = JSON.stringify(users(40)).length
    expect(bytes).toBeGreaterThan(asText)
    expect(bytes).toBeLessThan(3 * asText)
  })

  it('is counted as rows come, change and go', async () => {
    const kept = await twoLists()
    const { db, device, generation } = kept
    const rows = async () => (await readUsage(device, {}))?.lists.find(({ table }) => table === 'users')?.rows
    await storePage(
      db,
      list,
      firstPage,
      pageAnswer([aUser(1, { row_version: 2 }), aUser(90)], 300, '5', 41),
      generation,
    )
    expect(await rows()).toBe(await db.table('users').count())
    await storeChanges(db, list, company, { changed: [], gone: [3, 4], upto: 9, asOf: 400 }, { all: false, generation })
    expect(await rows()).toBe(await db.table('users').count())
  })

  it('goes when its user says so, but nothing that exists only here, nor the rows it is about', async () => {
    const kept = await twoLists()
    const { db, device, generation } = kept
    await storeReading(db, { path: '/api/m18s/user', body: '{"seal_key":"x"}', asOf: 1 }, generation)
    await enqueue(db, aDraft({ target: 7 }))
    await db.receipts.put({ intent: 'done', outcome: 'done', status: 200, body: '', time: 1 })
    await db.rowIds.put({ intent: 'made', kind: 'user', id: 9 })
    expect(await clearCache(device)).toBe(true)
    expect([await db.outbox.count(), await db.receipts.count(), await db.rowIds.count()]).toEqual([1, 1, 1])
    expect(await db.table('users').toCollection().primaryKeys()).toEqual([7])
    expect(await db.table('trail').count()).toBe(0)
    expect(await db.responses.count()).toBe(1)
    const view = await readListOn(device, list, firstPage)
    expect(view.complete).toBe(false)
    expect(view.rows.map(({ waiting }) => waiting?.action)).toEqual(['change'])
  })

  it('goes by itself when it is too much, the oldest first, never the list read last', async () => {
    const kept = await twoLists()
    expect(await trimCache(kept.db, { bytes: 1_000_000, ageMs: 1_000 })).toBe(0)
    expect(await trimCache(kept.db, { bytes: 1, ageMs: 1_000 })).toBe(1)
    expect(await tables(kept)).toEqual(['trail'])
  })

  it('goes by itself when it is too old, by the server’s clock (W-06)', async () => {
    const kept = await twoLists()
    expect(await trimCache(kept.db, { bytes: 1_000_000, ageMs: 99 })).toBe(1)
    expect(await tables(kept)).toEqual(['trail'])
    expect(await readListOn(kept.device, list, firstPage)).toMatchObject({ here: 0, complete: false, asOf: null })
  })
})

describe('a full disk (R-17)', () => {
  it('takes the oldest list, and the page that was just read is kept', async () => {
    const kept = await twoLists()
    const { db, generation } = kept
    disk = fillDisk({ until: 'deleted' })
    const query = { ...firstPage, scope: null, sort: ['end_time', 'desc'] as const }
    const answer = { rows: [happened(11)], count: 11, asOf: 300, change: '5' }
    expect(await storePage(db, trail, query, answer, generation)).toBe(true)
    expect(disk.refused).toBeGreaterThan(0)
    expect(await tables(kept)).toEqual(['trail'])
    expect(await db.table('trail').get(11)).toBeDefined()
  })

  it.each([1, 2, 3])('takes lists for a write that waits, whichever of its puts fails (%i)', async (nth) => {
    const kept = await twoLists()
    await enqueue(kept.db, aDraft({ target: 1 }))
    disk = fillDisk({ nth, until: 'deleted' })
    const drafts = [aDraft({ target: 2 }), aDraft({ target: 3 }), aDraft({ target: 4 })]
    for (const draft of drafts) await enqueue(kept.db, draft)
    disk.mend()
    expect(disk.refused).toBe(1)
    const intents = (await kept.db.outbox.toArray()).map(({ intent }) => intent)
    expect(intents).toEqual(expect.arrayContaining(drafts.map(({ intent }) => intent)))
    expect(intents).toHaveLength(4)
    expect(await kept.db.table('users').count()).toBeLessThan(40)
  })

  it('with nothing left to go says so, and what waits already is untouched', async () => {
    const kept = await twoLists()
    const before = await enqueue(kept.db, aDraft({ target: 1 }))
    disk = fillDisk()
    await expect(enqueue(kept.db, aDraft({ target: 2 }))).rejects.toMatchObject({ name: 'QuotaExceededError' })
    disk.mend()
    // Every list has made way, but for the row that the waiting write is about.
    expect(await kept.db.table('users').toCollection().primaryKeys()).toEqual([1])
    expect(await kept.db.table('trail').count()).toBe(0)
    expect(await kept.db.outbox.toArray()).toEqual([before])
  })
})

describe('asking the browser to keep it (P-18)', () => {
  const asking = (answer: boolean) => {
    const asked: string[] = []
    const storage = {
      persisted: () => Promise.resolve(false),
      persist: () => {
        asked.push('persist')
        return Promise.resolve(answer)
      },
    }
    return { asked, storage }
  }

  it('is done once, and again only when somebody installs the app', async () => {
    const { db } = await keptDevice()
    const { asked, storage } = asking(false)
    expect(await askToPersist(db, { storage })).toBe(false)
    expect(await askToPersist(db, { storage })).toBe(false)
    expect(asked).toHaveLength(1)
    await askToPersist(db, { storage, again: true })
    expect(asked).toHaveLength(2)
  })

  it('is not done where the browser has promised it already, or cannot', async () => {
    const { db } = await keptDevice()
    const { asked, storage } = asking(true)
    expect(await askToPersist(db, { storage: { ...storage, persisted: () => Promise.resolve(true) } })).toBe(true)
    expect(await askToPersist(db, { storage: {} })).toBe(false)
    expect(asked).toEqual([])
  })
})
