/** Runs in Chromium with the portal's own code. `bench/lists.ts` calls it step by step. */
import { storedTrailListSpec } from '#contract/audit-trail.ts'
import { declareStoredList } from '#contract/endpoint.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { openSession } from '#local/session/session.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeCompleteList } from '#local/lists/store-complete-list.ts'
import { fillRawDatabase, openRawDatabase, readRawPage } from './raw.ts'
import { codes, formatDay, dayCount, operations, createRowBatches, rowCount } from './rows.ts'

/** A long list over the rows of three companies, with five sort orders. It replaces the contract's list, which is stored per company. */
const longList = declareStoredList({
  ...storedTrailListSpec,
  sorts: { end_time: 'time', code: 'text', operation: 'text', exec_user_name: 'text', status: 'number' },
  filters: {
    code: { kind: 'equal', column: 'code' },
    operation: { kind: 'equal', column: 'operation' },
    companyId: { kind: 'equal', column: 'company_id' },
    dateFrom: { kind: 'from', column: 'end_time' },
    dateTo: { kind: 'until', column: 'end_time' },
    status: { kind: 'equal', column: 'status' },
  },
  scope: null,
})
const subject = { companyId: 7, userId: 1 }
let device: Device
let raw: IDBDatabase

const measureTime = async <T>(action: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const startedAt = performance.now()
  const value = await action()
  return { ms: performance.now() - startedAt, value }
}

async function deleteDatabases(): Promise<void> {
  for (const { name } of await indexedDB.databases())
    if (name)
      await new Promise<void>((resolve) => {
        indexedDB.deleteDatabase(name).onsuccess = () => resolve()
      })
}

/** Stores the same rows in both databases. Returns the time of each in ms. */
async function fill(): Promise<{ portalMs: number; rawMs: number }> {
  await deleteDatabases()
  device = openDevice()
  await openSession(device, subject)
  const response = { pieces: createRowBatches(rowCount), changeNumber: 1, asOf: 1_000 }
  const portalRun = await measureTime(() => storeCompleteList(device.getDatabase(subject), longList, null, response, 1))
  if (!portalRun.value) throw new Error('the rows were not stored')
  raw = await openRawDatabase('raw')
  return { portalMs: portalRun.ms, rawMs: (await measureTime(() => fillRawDatabase(raw, rowCount))).ms }
}

const readList = (query: Partial<ListQuery>) =>
  readListOnDevice(device, longList, {
    scope: null,
    filters: {},
    sort: ['end_time', 'desc'],
    page: 1,
    results: 10,
    ...query,
  })

/**
 * Runs the same query on both databases, over a quarter of the time range, never the same quarter twice in a row. The results must be
 * equal.
 */
async function compare(round: number): Promise<{ portalMs: number; rawMs: number }> {
  const startDay = (round * 7) % (dayCount - 25)
  const [from, until] = [formatDay(startDay), formatDay(startDay + 24)]
  const code = codes[round % codes.length] as string
  const filters = { dateFrom: from, dateTo: until, code }
  const readFromPortal = () => measureTime(() => readList({ filters }))
  const readFromRaw = () => measureTime(() => readRawPage(raw, { code, from, until }))
  const [firstRun, secondRun] =
    round % 2 ? [await readFromPortal(), await readFromRaw()] : [await readFromRaw(), await readFromPortal()]
  const [portalRun, rawRun] = round % 2 ? [firstRun, secondRun] : [secondRun, firstRun]
  const portalPage = portalRun.value as Awaited<ReturnType<typeof readList>>
  const rawPage = rawRun.value as Awaited<ReturnType<typeof readRawPage>>
  const ids = portalPage.rows.map(({ row }) => row.id)
  if (portalPage.count !== rawPage.count || JSON.stringify(ids) !== JSON.stringify(rawPage.ids) || !portalPage.complete)
    throw new Error(
      `the two results differ: ${portalPage.count} and ${rawPage.count}, ${ids.join()} and ${rawPage.ids.join()}`,
    )
  return { portalMs: portalRun.ms, rawMs: rawRun.ms }
}

/** Reads a random page, with random filters and a random sort order. Returns the time in ms. */
async function measureClick(randoms: number[]): Promise<number> {
  const pickValue = <T>(values: readonly T[], index: number) =>
    values[Math.floor((randoms[index] ?? 0) * values.length)] as T
  const startDay = pickValue(
    Array.from({ length: dayCount }, (_, day) => day),
    0,
  )
  const filters: ListQuery['filters'] = {
    code: pickValue([...codes, undefined, undefined, undefined], 1),
    operation: pickValue([...operations, ...operations.map(() => undefined)], 2),
    companyId: pickValue([undefined, undefined, 7], 3),
    dateFrom: pickValue([undefined, formatDay(startDay)], 4),
    dateTo: pickValue([undefined, formatDay(startDay + 30)], 5),
  }
  const sort = [pickValue(Object.keys(longList.sorts), 6), pickValue(['asc', 'desc'] as const, 7)] as const
  const { count } = await readList({ filters })
  const page = 1 + Math.floor((randoms[8] ?? 0) ** 2 * Math.ceil(count / 10))
  const { ms, value } = await measureTime(() => readList({ filters, sort, page }))
  if (value.count !== count || (count > 0 && value.rows.length === 0)) throw new Error('an existing page has no rows')
  return ms
}

const bench = { fill, compare, measureClick }
declare global {
  var listBench: typeof bench
}
globalThis.listBench = bench
