/** A range of the audit trail on a device: kept, cut, resumed, brought up to date, read without a network, taken away. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { listUsers } from '#contract/users.ts'
import type { KeptLeaves } from '#local/storage/trail-records.ts'
import { clearCache, trimCache } from '#local/space/clear-cache.ts'
import { retryAfterEviction } from '#local/storage/eviction.ts'
import { readUsage } from '#local/space/usage.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import {
  dayMs,
  fillTrail,
  january,
  keep,
  keeper,
  openKeep,
  resetWithTrail,
  signedInBehind,
} from '#tests/support/audit-trail/kept-trail.ts'
import { begin } from '#request/audit-trail/keep-trail.ts'
import { keptCsv } from '#request/audit-trail/kept-csv.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

let house: Installation
let companyId: number
beforeAll(async () => {
  house = await openInstallation()
})
afterAll(() => house.close())
beforeEach(async () => {
  await resetWithTrail(house)
  companyId = house.server.world.companies.alpha
})

const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }
const database = async (tablet: Tablet) => {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.of(session)
}
/** How many entries are here to be read. */
async function entriesIn(db: Awaited<ReturnType<typeof database>>): Promise<number> {
  const records = (await db.keptTiles.toArray()).filter((record): record is KeptLeaves => 'leaves' in record)
  return records.reduce((sum, { leaves }) => sum + leaves.filter((leaf) => leaf !== '').length, 0)
}
/** A list of the trail as the page asks for it. */
const list = async (tablet: Tablet, query: object) => {
  const asking = tablet.api.call(listTrail, { query: { results: 50, ...query } as never })
  const answer = await asking
  await tablet.rest()
  return answer
}
const idsOf = (answer: Awaited<ReturnType<typeof list>>) =>
  answer.kind === 'fresh' || answer.kind === 'kept' ? answer.output?.data.map(({ id }) => id) : answer

describe('CSV without a server', () => {
  const csv = async (tablet: Tablet, query: object) => {
    const result = await keptCsv(tablet.ports, { query: { format: 'csv', ...query } as never })
    if (result?.kind !== 'kept' || !result.output) return { result, lines: [] }
    const text = Buffer.from(await result.output.bytes.arrayBuffer()).toString()
    return { result, lines: text.trimEnd().split('\r\n') }
  }

  it('has exactly what is filtered of what is kept, as the server would write it, and says what it lacks', async () => {
    const tablet = await house.signedIn('admin@alpha')
    expect(await keptCsv(tablet.ports, { query: { format: 'csv' } })).toBeNull()
    await keep(tablet, month)
    const server = await house.server.signIn('admin@alpha')
    const asked = { dateFrom: '2026-01-03', dateTo: '2026-01-04', sortOrder: 'asc' }
    const theirs = await server.send({
      url: `/api/systrail/export?${new URLSearchParams({ format: 'csv', ...asked })}`,
    })
    tablet.line.state = 'down'
    const { result, lines } = await csv(tablet, asked)
    expect(lines.length).toBeGreaterThan(100)
    expect(`${lines.join('\r\n')}\r\n`).toBe(theirs.body)
    expect(result).toMatchObject({ days: null, output: { name: expect.stringMatching(/^audit-trail-.*\.csv$/) } })
    expect((await csv(tablet, { searchText: 'nowhere' })).lines).toHaveLength(1)
    const more = await csv(tablet, { dateTo: '2026-02-28', dateFrom: '2025-12-01' })
    expect(more.lines).toHaveLength(601)
    expect(await keptCsv(tablet.ports, { query: { format: 'csv', dateFrom: '2026-02-10' } })).toBeNull()
    const all = await csv(tablet, {})
    expect(all.result).toMatchObject({ days: { from: '2026-01-01', to: '2026-01-31' } })
  })
})

describe('keeping a month', () => {
  it('brings every entry of it, proven, and says how far it is', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const progress: [number, number][] = []
    expect(await keep(tablet, month, { onProgress: (done, of) => progress.push([done, of]) })).toEqual({ kind: 'done' })
    const db = await database(tablet)
    expect(await db.keptTrails.toArray()).toMatchObject([
      { companyId, ...month, from: 0, to: 600, next: 600, follows: false, hidden: 0, zone: 'Asia/Hong_Kong' },
    ])
    expect(await entriesIn(db)).toBe(600)
    expect(progress[0]).toEqual([0, 600])
    expect(progress.at(-1)).toEqual([600, 600])
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: 600, hidden: 0 })
  })

  nightly('is an export, which the trail tells of', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    const answer = await list(tablet, { operation: 'export' })
    expect(answer).toMatchObject({
      kind: 'fresh',
      output: {
        count: 1,
        data: [{ code: 'system', info: { DateFrom: '2026-01-01', DateTo: '2026-01-31', Entries: 600 } }],
      },
    })
  })

  it('that was cut goes on from the entry it had come to, after the browser was closed too', async () => {
    const liar = await signedInBehind(house, 'admin@alpha')
    const { tablet } = liar
    const opened = await openKeep(tablet, month)
    await begin(tablet.ports, { ...month, today: '2026-03-02' }, opened)
    let streams = 0
    liar.between = async ({ path }, pass) => {
      const answer = await pass()
      // Cut within a line.
      if (path.includes('/export')) streams += 1
      return path.includes('/export') && streams === 1 ? { ...answer, body: answer.body.slice(0, -40) } : answer
    }
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'refused', fault: 'STREAM_CUT' })
    expect(await entriesIn(await database(tablet))).toBe(0)
    liar.between = null
    // Two hundred of them come; then its user pauses it.
    const controller = new AbortController()
    liar.between = async ({ path, ...sent }, pass) => {
      if (!path.includes('/export')) return await pass()
      controller.abort()
      return await pass({ ...sent, path: path.replace('&to=600', '&to=200') })
    }
    expect(await keeper(tablet).fill(companyId, { signal: controller.signal })).toEqual({ kind: 'paused' })
    tablet.reopen()
    const db = await database(tablet)
    expect(await db.keptTrails.get(companyId)).toMatchObject({ next: 200, to: 600, note: null })
    // What is half here answers nothing as if it were whole.
    tablet.line.state = 'down'
    expect((await list(tablet, month)).kind).toBe('problem')
    tablet.line.state = 'up'
    liar.between = null
    const before = tablet.line.log.length
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'done' })
    const asked = tablet.line.log.slice(before).filter(({ sent }) => sent.path.includes('/export'))
    expect(asked[0]?.sent.path).toContain('from=200')
    expect(await entriesIn(db)).toBe(600)
  })

  it('brings hashes alone of entries that the reader may not see, and proves around them', async () => {
    await fillTrail(house, companyId, 30, { start: january + dayMs, code: 'price' })
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    const db = await database(tablet)
    expect(await db.keptTrails.get(companyId)).toMatchObject({ hidden: 30, next: 630 })
    expect(await entriesIn(db)).toBe(600)
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: 600, hidden: 30 })
  })

  it('of a customer is for the provider, and stands beside their own', async () => {
    const tablet = await house.signedIn('admin@m18')
    expect(await keep(tablet, month, { companyId })).toEqual({ kind: 'done' })
    const own = (await tablet.session())?.companyId ?? 0
    await fillTrail(house, own, 20, { start: january })
    expect(await keep(tablet, month)).toEqual({ kind: 'done' })
    tablet.line.state = 'down'
    expect(await list(tablet, { ...month, companyId, results: 1 })).toMatchObject({
      kind: 'kept',
      output: { count: 600 },
    })
    expect(await list(tablet, { ...month, results: 1 })).toMatchObject({ kind: 'kept', output: { count: 20 } })
    await keeper(tablet).remove(companyId)
    expect(await list(tablet, { ...month, results: 1 })).toMatchObject({ kind: 'kept', output: { count: 20 } })
    expect(await entriesIn(await database(tablet))).toBe(20)
  })
})

describe('without a network', () => {
  it('a week inside the month is answered as the server answers it: filters, text, order, pages, activity', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    const week = { dateFrom: '2026-01-03', dateTo: '2026-01-09' }
    const questions = [
      week,
      { ...week, page: 2 },
      { ...week, page: 99 },
      { ...week, sortOrder: 'asc' },
      { ...week, sortOrder: 'ascend', sortField: 'end_time', results: 7, page: 3 },
      { ...week, operation: 'create' },
      { ...week, status: -1 },
      { ...week, code: 'price' },
      { ...week, searchText: 'ÉLAN' },
      { ...week, searchText: 'PERSON 14' },
      { ...week, searchText: 'nobody at all' },
      { ...week, operation: 'update', status: 0, searchText: '陈', sortOrder: 'asc' },
      { dateFrom: '2026-01-05', dateTo: '2026-01-05' },
      { dateTo: '2026-01-05' },
    ]
    const activity = (query: object) => tablet.api.call(trailActivity, { query: query as never })
    for (const query of questions) {
      tablet.line.state = 'up'
      const fresh = await list(tablet, query)
      const told = await activity({
        ...query,
        page: undefined,
        sortOrder: undefined,
        sortField: undefined,
        results: undefined,
      })
      const db = await database(tablet)
      // The last answers would answer too: they are taken away, so that only what is kept can.
      await db.responses.where('path').startsWith('/api/systrail').delete()
      tablet.line.state = 'down'
      const kept = await list(tablet, query)
      expect(kept, JSON.stringify(query)).toMatchObject({
        kind: 'kept',
        output: fresh.kind === 'fresh' ? fresh.output : {},
      })
      expect(kept).toMatchObject({ kind: 'kept', days: null })
      const here = await activity({
        ...query,
        page: undefined,
        sortOrder: undefined,
        sortField: undefined,
        results: undefined,
      })
      expect(here, JSON.stringify(query)).toMatchObject({
        kind: 'kept',
        output: told.kind === 'fresh' ? told.output : {},
      })
    }
  }, 60_000)

  nightly('gives one entry by its id, and does not know whether there is one of days that are not kept', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, { dateFrom: '2026-01-02', dateTo: '2026-01-04' })
    const seen = await list(tablet, { dateFrom: '2026-01-03', dateTo: '2026-01-03', results: 3 })
    const later = await list(tablet, { dateFrom: '2026-01-06', dateTo: '2026-01-06', results: 1 })
    const entries = seen.kind === 'fresh' ? (seen.output?.data ?? []) : []
    const outside = later.kind === 'fresh' ? later.output?.data[0]?.id : undefined
    const db = await database(tablet)
    await db.responses.where('path').startsWith('/api/systrail').delete()
    tablet.line.state = 'down'
    expect(entries).toHaveLength(3)
    for (const entry of entries)
      expect(await list(tablet, { entry: entry.id, results: 1 })).toMatchObject({ output: { count: 1, data: [entry] } })
    const days = { from: '2026-01-02', to: '2026-01-04' }
    expect(outside).toBeTypeOf('number')
    expect(await list(tablet, { entry: outside, results: 1 })).toMatchObject({ output: { count: 0, data: [] }, days })
  })

  nightly('goes on behind an entry, both ways, as the server does', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    for (const sortOrder of ['asc', 'desc'] as const) {
      const query = { ...month, sortOrder, operation: 'create', results: 40 }
      const words = { ...query, searchText: 'person 1', results: 20 }
      tablet.line.state = 'up'
      const first = idsOf(await list(tablet, query)) as number[]
      const next = await list(tablet, { ...query, after: first.at(-1) })
      const found = idsOf(await list(tablet, words)) as number[]
      const further = idsOf(await list(tablet, { ...words, after: found.at(-1) }))
      await (await database(tablet)).responses.clear()
      tablet.line.state = 'down'
      expect(idsOf(await list(tablet, { ...query, after: first.at(-1) }))).toEqual(idsOf(next))
      expect(idsOf(await list(tablet, words))).toEqual(found)
      expect(further).toHaveLength(20)
      expect(idsOf(await list(tablet, { ...words, after: found.at(-1) }))).toEqual(further)
      expect((idsOf(await list(tablet, { ...query, after: first[0] })) as number[]).slice(0, 39)).toEqual(
        first.slice(1),
      )
    }
  })

  it('says which days are kept where more were asked for, and nothing of days that are not', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const part = { dateFrom: '2026-01-02', dateTo: '2026-01-04' }
    await keep(tablet, part)
    tablet.line.state = 'down'
    const days = { from: '2026-01-02', to: '2026-01-04' }
    expect(await list(tablet, month)).toMatchObject({ kind: 'kept', days, asOf: expect.any(Number) })
    expect(await list(tablet, {})).toMatchObject({ kind: 'kept', days })
    expect(await list(tablet, { dateFrom: '2026-01-04', dateTo: '2026-01-20' })).toMatchObject({ kind: 'kept', days })
    expect(await list(tablet, { dateFrom: '2026-01-05', dateTo: '2026-01-09' })).toMatchObject({ kind: 'problem' })
    expect(await list(tablet, part)).toMatchObject({ kind: 'kept', days: null })
  })
})

describe('while there is a network', () => {
  nightly('a range whose last day is not over is brought up to date, its proofs too', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const days = { dateFrom: '2026-01-01', dateTo: '2026-03-02', today: '2026-03-02' }
    await keep(tablet, days)
    await fillTrail(house, companyId, 25, { start: house.clock.now() })
    await keeper(tablet).update()
    const db = await database(tablet)
    const { next, from, note } = (await db.keptTrails.get(companyId)) ?? { next: 0, from: 0, note: null }
    // The keep itself, and the sign-in if it is an entry, stand between.
    expect(next - from).toBeGreaterThanOrEqual(626)
    expect(note).toBe((await db.logCheckpoints.get(companyId))?.note)
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: next - from })
    tablet.line.state = 'down'
    const today = await list(tablet, { dateFrom: '2026-03-02', searchText: 'Person 24' })
    expect(today).toMatchObject({ kind: 'kept', output: { count: 1 } })
    expect(today).toMatchObject({ kind: 'kept', days: null })
  })

  nightly('a range of days that are over is left as it is', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    await fillTrail(house, companyId, 25, { start: house.clock.now() })
    await keeper(tablet).update()
    expect(await (await database(tablet)).keptTrails.get(companyId)).toMatchObject({ to: 600, next: 600 })
  })

  it('a range without an entry yet does not bring the whole log when one comes', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, { dateFrom: '2026-03-02', dateTo: '2026-04-30', today: '2026-03-02' })
    await fillTrail(house, companyId, 5, { start: house.clock.now() })
    await keeper(tablet).update()
    const kept = await (await database(tablet)).keptTrails.get(companyId)
    expect(kept?.from).toBeGreaterThanOrEqual(600)
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven' })
  })
})

describe('what is kept', () => {
  it('stays when lists make way: trimmed by size and age, cleared, evicted from a full disk', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    await tablet.api.call(listUsers, { params: { companyId }, query: {} })
    await tablet.rest()
    const db = await database(tablet)
    expect(await trimCache(db, { bytes: 0, ageMs: -1 })).toBe(0)
    await clearCache(tablet.device)
    const full = Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    await expect(retryAfterEviction(db, () => Promise.reject(full), full)).rejects.toThrow('full')
    expect(await db.table('users').count()).toBe(0)
    expect(await entriesIn(db)).toBe(600)
    tablet.line.state = 'down'
    expect(await list(tablet, { ...month, searchText: 'ÉLAN' })).toMatchObject({ kind: 'kept', output: { count: 86 } })
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: 600 })
  })

  it('is gone after the user has left, and the checkpoint that says nothing of anybody stays', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    const db = await database(tablet)
    await tablet.signOut()
    for (const table of ['trail', 'keptTrails', 'keptTiles', 'buckets', 'columns', 'indexes', 'listStats', 'responses'])
      expect(await db.table(table).count(), table).toBe(0)
    expect(await db.logCheckpoints.count()).toBe(1)
    expect(JSON.stringify(await db.logCheckpoints.toArray())).not.toMatch(/Person|ALPHA|@/)
  })

  it('is gone when the server says that the session is over (401 UNAUTHORIZED), and when another user comes', async () => {
    const liar = await signedInBehind(house, 'admin@alpha')
    const { tablet } = liar
    await keep(tablet, month)
    const db = await database(tablet)
    liar.between = async (_sent, pass) => {
      const answer = await pass()
      return { ...answer, status: 401, body: JSON.stringify({ errorCode: 'UNAUTHORIZED', errorMessage: '' }) }
    }
    await keeper(tablet).update()
    expect([await entriesIn(db), await db.keptTrails.count(), await db.keptTiles.count()]).toEqual([0, 0, 0])
  })

  nightly('is removed by its user, and the list that is opened next is cached as before', async () => {
    const tablet = await house.signedIn('admin@alpha')
    await keep(tablet, month)
    await keeper(tablet).remove(companyId)
    const db = await database(tablet)
    expect([await entriesIn(db), await db.keptTrails.count(), await db.keptTiles.count()]).toEqual([0, 0, 0])
    expect(await keeper(tablet).proveAll(companyId)).toBeNull()
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'gone' })
  })
})

describe('what an older build cached', () => {
  it('of the trails of all companies goes when a range is kept', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const db = await database(tablet)
    const old = (id: number) => ({ id, scope: null, version: 0, asOf: 1, row: { id, row_version: 0 }, folds: {} })
    await db.table('trail').bulkPut([900_001, 900_002].map(old))
    await db.listStats.put({ id: 'trail|', table: 'trail', scope: null, rows: 2, bytes: 10, asOf: 1, newest: 1 })
    await keep(tablet, month)
    expect(await db.table('trail').count()).toBe(0)
    expect(await entriesIn(db)).toBe(600)
    expect((await readUsage(tablet.device, {}))?.lists).toMatchObject([
      { table: 'trail', scope: companyId, rows: 600, complete: true },
    ])
  })
})
