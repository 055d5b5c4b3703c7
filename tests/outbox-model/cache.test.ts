/**
 * What the device keeps of a list, through readings that overtake each other, puts, deletions, catching up and
 * sign-outs, against a server as small as a map: never an older row over a newer, never a deleted one back, and what is
 * called complete is (protocol 33 to 35).
 */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { rowsOf } from '#local/storage/database.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storeChanges, storePage, storeRow } from '#local/lists/response-store.ts'
import { deleted } from '#local/lists/row-store.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { aUser, company, list, firstPage, type Kept, keptDevice } from '#tests/support/device/device-database.ts'

type Row = ReturnType<typeof aUser>
const { RUNS = '40', REPLAY } = process.env
const replay = REPLAY === undefined ? {} : { path: REPLAY }

/** What the server says at a moment; it may arrive at any later one. */
interface Said {
  arrive: (kept: Kept, generation: number) => Promise<unknown>
  generation: number
}

interface World {
  kept: Kept
  rows: Map<number, Row>
  /** Ids that are gone for good, with the change that took them. */
  gone: Map<number, number>
  changes: Map<number, number>
  /** When each row was made. */
  born: Map<number, number>
  change: number
  now: number
  onTheWay: Said[]
  /** The highest version that this device was shown since it was last wiped. */
  shown: Map<number, number>
  /** Ids that this device was told are gone. */
  buried: Set<number>
}

type Event =
  | { kind: 'put'; id: number; name: number }
  | { kind: 'delete'; id: number }
  | { kind: 'page'; page: number; results: number; desc: boolean }
  | { kind: 'since' }
  | { kind: 'single'; id: number }
  | { kind: 'arrive'; at: number }
  | { kind: 'leave' }

const id = fc.integer({ min: 1, max: 9 })
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), id, name: fc.nat({ max: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      page: fc.integer({ min: 1, max: 3 }),
      results: fc.constantFrom(3, 5, 20),
      desc: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'since' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('single' as const), id }) },
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('arrive' as const), at: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'leave' as const }) },
)

function touch(world: World, at: number): void {
  world.change += 1
  world.changes.set(at, world.change)
}

function put(world: World, { id: at, name }: { id: number; name: number }): void {
  if (world.gone.has(at)) return
  const version = (world.rows.get(at)?.row_version ?? 0) + 1
  if (version === 1) world.born.set(at, world.now)
  world.rows.set(at, aUser(at, { name: `User ${String(name).padStart(2, '0')}`, row_version: version }))
  touch(world, at)
}

function remove(world: World, at: number): void {
  if (!world.rows.delete(at)) return
  touch(world, at)
  world.gone.set(at, world.change)
}

/** By name, ties by id, both in the same direction (protocol 36). */
const inOrder = (rows: Iterable<Row>, desc: boolean) =>
  [...rows].toSorted((a, b) => (desc ? -1 : 1) * (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1))

function askPage(world: World, { page, results, desc }: Event & { kind: 'page' }): void {
  const all = inOrder(world.rows.values(), desc)
  const rows = all.slice((page - 1) * results, page * results)
  const answer = { rows, count: all.length, asOf: world.now, change: String(world.change) }
  const query = { ...firstPage, sort: ['name', desc ? 'desc' : 'asc'] as const, page, results }
  say(world, (kept, generation) => storePage(kept.db, list, query, answer, generation))
}

/** From what the device has, as it asks; whatever changed after that, and what went. */
async function askSince(world: World): Promise<void> {
  const fill = await world.kept.db.syncPoints.get(`users|${company}`)
  const from = fill?.upto ?? -1
  const changed = [...world.rows.values()].filter((row) => (world.changes.get(row.id) ?? 0) > from)
  const gone = [...world.gone].filter(([, change]) => change > from).map(([at]) => at)
  const answer = { changed, gone, upto: world.change, asOf: world.now }
  say(world, (kept, generation) => storeChanges(kept.db, list, company, answer, { all: from === -1, generation }))
}

function askOne(world: World, at: number): void {
  const row = world.rows.get(at)
  const asOf = world.now
  if (row) say(world, (kept, generation) => storeRow(kept.db, 'users', row, { asOf, generation }))
}

const say = (world: World, arrive: Said['arrive']) =>
  void world.onTheWay.push({ arrive, generation: world.kept.generation })

async function arrive(world: World, at: number): Promise<void> {
  const [said] = world.onTheWay.splice(at % Math.max(1, world.onTheWay.length), 1)
  await said?.arrive(world.kept, said.generation)
}

/** Signs out and in again: what was asked before belongs to nobody. */
async function leave(world: World): Promise<void> {
  const { device, db } = world.kept
  await markSignedOut(device)
  expect(await rowsOf(db, 'users').count()).toBe(0)
  await openSession(device, { companyId: company, userId: 1 })
  world.kept.generation = (await readGate(db)) ?? 0
  world.shown.clear()
  world.buried.clear()
}

async function check(world: World): Promise<void> {
  const { db, device } = world.kept
  const stored = await rowsOf(db, 'users').toArray()
  for (const { id: at, version } of stored) {
    expect(version, `row ${at} went back`).toBeGreaterThanOrEqual(world.shown.get(at) ?? 0)
    expect(world.buried.has(at), `row ${at} came back`).toBe(false)
    world.shown.set(at, version)
  }
  // Others only left their place in a list, and may be told of again until the server says that they are gone.
  for (const { table, id: at, version } of await db.tombstones.toArray())
    if (table === 'users' && version === deleted) world.buried.add(at)
  const view = await readListOn(device, list, { ...firstPage, results: 50 })
  if (!view.complete || view.asOf === null) return
  const { asOf } = view
  const here = new Set(view.rows.map(({ row }) => row.id))
  const missing = [...world.rows.keys()].filter((at) => (world.born.get(at) ?? 0) <= asOf && !here.has(at))
  expect(missing, 'rows that are not in a list called complete').toEqual([])
}

/** Everything arrives, the device catches up, and holds what the server holds. */
async function settle(world: World): Promise<void> {
  while (world.onTheWay.length > 0) await arrive(world, 0)
  world.now += 1_000
  await askSince(world)
  await arrive(world, 0)
  await check(world)
  const { rows, complete } = await readListOn(world.kept.device, list, { ...firstPage, results: 50 })
  const words = (all: readonly { id: unknown; row_version: number }[]) => all.map((row) => [row.id, row.row_version])
  expect(complete).toBe(true)
  expect(words(rows.map(({ row }) => row))).toEqual(words(inOrder(world.rows.values(), false)))
}

async function live(events: readonly Event[]): Promise<void> {
  const kept = await keptDevice()
  const world: World = {
    kept,
    rows: new Map(),
    gone: new Map(),
    changes: new Map(),
    born: new Map(),
    change: 1,
    now: 1_000_000,
    onTheWay: [],
    shown: new Map(),
    buried: new Set(),
  }
  for (const at of [1, 2, 3, 4, 5]) put(world, { id: at, name: at })
  for (const one of events) {
    world.now += 1_000
    if (one.kind === 'put') put(world, one)
    if (one.kind === 'delete') remove(world, one.id)
    if (one.kind === 'page') askPage(world, one)
    if (one.kind === 'since') await askSince(world)
    if (one.kind === 'single') askOne(world, one.id)
    if (one.kind === 'arrive') await arrive(world, one.at)
    if (one.kind === 'leave') await leave(world)
    await check(world)
  }
  await settle(world)
  kept.db.close()
}

it(
  `the list on the device never goes back, through ${RUNS} histories`,
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 40, size: 'max' }), live), {
      numRuns: Number(RUNS),
      endOnFailure: process.env['SHRINK'] === undefined,
      ...replay,
    })
  },
  20_000 + Number(RUNS) * 500,
)
