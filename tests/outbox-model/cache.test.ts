/**
 * Compares the cached list of a device with a simple server, in random sequences of overlapping reads, changes, deletions, change requests
 * and sign-outs. An older row never replaces a newer one. A deleted row never returns. A list that is marked as complete has all rows of
 * the server (protocol 33 to 35).
 */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { getRowTable } from '#local/storage/database.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storeChanges, storePage, storeRow } from '#local/lists/response-store.ts'
import { deletedVersion } from '#local/lists/row-store.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import {
  buildUser,
  companyId,
  userList,
  firstPage,
  type TestDevice,
  openTestDevice,
} from '#tests/support/device/device-database.ts'

type TestUser = ReturnType<typeof buildUser>
const { RUNS = '40', REPLAY } = process.env
const replay = REPLAY === undefined ? {} : { path: REPLAY }

/** A response that the server has sent. It may arrive at any later time. */
interface PendingResponse {
  arrive: (testDevice: TestDevice, generation: number) => Promise<unknown>
  generation: number
}

interface CacheWorld {
  testDevice: TestDevice
  rows: Map<number, TestUser>
  /** Change number of each row's deletion, by the row's id. Deleted rows are not created again. */
  deletionChanges: Map<number, number>
  changes: Map<number, number>
  /** Creation time of each row. */
  createdTimes: Map<number, number>
  change: number
  now: number
  pendingResponses: PendingResponse[]
  /** The highest version of each row that this device has received since it was last cleared. */
  seenVersions: Map<number, number>
  /** Ids of rows that this device has stored as deleted. */
  deletedIds: Set<number>
}

type CacheEvent =
  | { kind: 'put'; id: number; name: number }
  | { kind: 'delete'; id: number }
  | { kind: 'page'; page: number; results: number; desc: boolean }
  | { kind: 'since' }
  | { kind: 'single'; id: number }
  | { kind: 'arrive'; at: number }
  | { kind: 'leave' }

const id = fc.integer({ min: 1, max: 9 })
const event: fc.Arbitrary<CacheEvent> = fc.oneof(
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

function touch(world: CacheWorld, userId: number): void {
  world.change += 1
  world.changes.set(userId, world.change)
}

function put(world: CacheWorld, { id: userId, name }: { id: number; name: number }): void {
  if (world.deletionChanges.has(userId)) return
  const version = (world.rows.get(userId)?.row_version ?? 0) + 1
  if (version === 1) world.createdTimes.set(userId, world.now)
  world.rows.set(userId, buildUser(userId, { name: `User ${String(name).padStart(2, '0')}`, row_version: version }))
  touch(world, userId)
}

function remove(world: CacheWorld, userId: number): void {
  if (!world.rows.delete(userId)) return
  touch(world, userId)
  world.deletionChanges.set(userId, world.change)
}

/** Orders rows by name, and rows of the same name by id in the same direction (protocol 36). */
const sortRows = (rows: Iterable<TestUser>, isDescending: boolean) =>
  [...rows].toSorted((a, b) => (isDescending ? -1 : 1) * (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1))

function requestPage(world: CacheWorld, { page, results, desc: isDescending }: CacheEvent & { kind: 'page' }): void {
  const allRows = sortRows(world.rows.values(), isDescending)
  const rows = allRows.slice((page - 1) * results, page * results)
  const response = { rows, count: allRows.length, asOf: world.now, change: String(world.change) }
  const query = { ...firstPage, sort: ['name', isDescending ? 'desc' : 'asc'] as const, page, results }
  sendResponse(world, (testDevice, generation) => storePage(testDevice.db, userList, query, response, generation))
}

/** Requests the rows that were changed or deleted since the device's change number. */
async function requestChanges(world: CacheWorld): Promise<void> {
  const syncPoint = await world.testDevice.db.syncPoints.get(`users|${companyId}`)
  const since = syncPoint?.changeNumber ?? -1
  const changed = [...world.rows.values()].filter((row) => (world.changes.get(row.id) ?? 0) > since)
  const deletedIds = [...world.deletionChanges].filter(([, change]) => change > since).map(([userId]) => userId)
  const response = { changed, deletedIds, changeNumber: world.change, asOf: world.now }
  sendResponse(world, (testDevice, generation) =>
    storeChanges(testDevice.db, userList, companyId, response, { isComplete: since === -1, generation }),
  )
}

function requestRow(world: CacheWorld, userId: number): void {
  const row = world.rows.get(userId)
  const asOf = world.now
  if (row) sendResponse(world, (testDevice, generation) => storeRow(testDevice.db, 'users', row, { asOf, generation }))
}

const sendResponse = (world: CacheWorld, arrive: PendingResponse['arrive']) =>
  void world.pendingResponses.push({ arrive, generation: world.testDevice.generation })

async function arrive(world: CacheWorld, index: number): Promise<void> {
  const [response] = world.pendingResponses.splice(index % Math.max(1, world.pendingResponses.length), 1)
  await response?.arrive(world.testDevice, response.generation)
}

/** Signs out and in again. Responses to earlier requests are then not stored. */
async function signOutAndIn(world: CacheWorld): Promise<void> {
  const { device, db } = world.testDevice
  await markSignedOut(device)
  expect(await getRowTable(db, 'users').count()).toBe(0)
  await openSession(device, { companyId, userId: 1 })
  world.testDevice.generation = (await readSessionGeneration(db)) ?? 0
  world.seenVersions.clear()
  world.deletedIds.clear()
}

async function check(world: CacheWorld): Promise<void> {
  const { db, device } = world.testDevice
  const stored = await getRowTable(db, 'users').toArray()
  for (const { id: userId, version } of stored) {
    expect(version, `row ${userId} went back`).toBeGreaterThanOrEqual(world.seenVersions.get(userId) ?? 0)
    expect(world.deletedIds.has(userId), `row ${userId} came back`).toBe(false)
    world.seenVersions.set(userId, version)
  }
  // Only tombstones with this version mean that the server has reported a deletion. Other rows have only left a list, and may return.
  for (const { table, id: userId, version } of await db.tombstones.toArray())
    if (table === 'users' && version === deletedVersion) world.deletedIds.add(userId)
  const view = await readListOnDevice(device, userList, { ...firstPage, results: 50 })
  if (!view.complete || view.asOf === null) return
  const { asOf } = view
  const listedIds = new Set(view.rows.map(({ row }) => row.id))
  const missingIds = [...world.rows.keys()].filter(
    (userId) => (world.createdTimes.get(userId) ?? 0) <= asOf && !listedIds.has(userId),
  )
  expect(missingIds, 'rows that are not in a list called complete').toEqual([])
}

/** Delivers all responses and fetches all changes. Then the device must have the rows of the server. */
async function settle(world: CacheWorld): Promise<void> {
  while (world.pendingResponses.length > 0) await arrive(world, 0)
  world.now += 1_000
  await requestChanges(world)
  await arrive(world, 0)
  await check(world)
  const { rows, complete: isComplete } = await readListOnDevice(world.testDevice.device, userList, {
    ...firstPage,
    results: 50,
  })
  const toVersions = (rows: readonly { id: unknown; row_version: number }[]) =>
    rows.map((row) => [row.id, row.row_version])
  expect(isComplete).toBe(true)
  expect(toVersions(rows.map(({ row }) => row))).toEqual(toVersions(sortRows(world.rows.values(), false)))
}

async function playHistory(events: readonly CacheEvent[]): Promise<void> {
  const testDevice = await openTestDevice()
  const world: CacheWorld = {
    testDevice,
    rows: new Map(),
    deletionChanges: new Map(),
    changes: new Map(),
    createdTimes: new Map(),
    change: 1,
    now: 1_000_000,
    pendingResponses: [],
    seenVersions: new Map(),
    deletedIds: new Set(),
  }
  for (const userId of [1, 2, 3, 4, 5]) put(world, { id: userId, name: userId })
  for (const event of events) {
    world.now += 1_000
    if (event.kind === 'put') put(world, event)
    if (event.kind === 'delete') remove(world, event.id)
    if (event.kind === 'page') requestPage(world, event)
    if (event.kind === 'since') await requestChanges(world)
    if (event.kind === 'single') requestRow(world, event.id)
    if (event.kind === 'arrive') await arrive(world, event.at)
    if (event.kind === 'leave') await signOutAndIn(world)
    await check(world)
  }
  await settle(world)
  testDevice.db.close()
}

it(
  `The cached list never returns to an older state, in ${RUNS} random histories`,
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 40, size: 'max' }), playHistory), {
      numRuns: Number(RUNS),
      endOnFailure: process.env['SHRINK'] === undefined,
      ...replay,
    })
  },
  20_000 + Number(RUNS) * 500,
)
