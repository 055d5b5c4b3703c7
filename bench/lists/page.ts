/** Runs in Chromium, over the product's own files: what `bench/lists.ts` calls, step by step. */
import { keptTrail } from '#contract/audit-trail.ts'
import { keptList } from '#contract/endpoint.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { openSession } from '#local/session/session.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { storeWhole } from '#local/lists/bulk-load.ts'
import { fillRaw, openRaw, pageRaw } from './raw.ts'
import { codes, dayOf, days, operations, pieces, rowCount } from './rows.ts'

/** A long list with an order by each of five columns, over the rows of three companies; in place of the one that is kept by company. */
const fills = keptList({
  ...keptTrail,
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

const timed = async <T>(act: () => Promise<T>): Promise<{ ms: number; value: T }> => {
  const began = performance.now()
  const value = await act()
  return { ms: performance.now() - began, value }
}

async function forget(): Promise<void> {
  for (const { name } of await indexedDB.databases())
    if (name)
      await new Promise<void>((done) => {
        indexedDB.deleteDatabase(name).onsuccess = () => done()
      })
}

/** Both filled with the same rows; ms each. */
async function fill(): Promise<{ ours: number; raw: number }> {
  await forget()
  device = openDevice()
  await openSession(device, subject)
  const answer = { pieces: pieces(rowCount), upto: 1, asOf: 1_000 }
  const ours = await timed(() => storeWhole(device.of(subject), fills, null, answer, 1))
  if (!ours.value) throw new Error('the fill was not kept')
  raw = await openRaw('raw')
  return { ours: ours.ms, raw: (await timed(() => fillRaw(raw, rowCount))).ms }
}

const ask = (given: Partial<ListQuery>) =>
  readListOn(device, fills, { scope: null, filters: {}, sort: ['end_time', 'desc'], page: 1, results: 10, ...given })

/** One question to both, over a quarter of the time, never the same quarter twice in a row; answers must be equal. */
async function compare(round: number): Promise<{ ours: number; raw: number }> {
  const begin = (round * 7) % (days - 25)
  const [from, until] = [dayOf(begin), dayOf(begin + 24)]
  const code = codes[round % codes.length] as string
  const filters = { dateFrom: from, dateTo: until, code }
  const askOurs = () => timed(() => ask({ filters }))
  const askRaw = () => timed(() => pageRaw(raw, { code, from, until }))
  const [first, second] = round % 2 ? [await askOurs(), await askRaw()] : [await askRaw(), await askOurs()]
  const [own, peer] = round % 2 ? [first, second] : [second, first]
  const said = own.value as Awaited<ReturnType<typeof ask>>
  const peers = peer.value as Awaited<ReturnType<typeof pageRaw>>
  const ids = said.rows.map(({ row }) => row.id)
  if (said.count !== peers.count || JSON.stringify(ids) !== JSON.stringify(peers.ids) || !said.complete)
    throw new Error(`unequal: ${said.count} and ${peers.count}, ${ids.join()} and ${peers.ids.join()}`)
  return { ours: own.ms, raw: peer.ms }
}

/** Any click: some filters, some order, some page of what there is. */
async function click(chance: number[]): Promise<number> {
  const pick = <T>(from: readonly T[], at: number) => from[Math.floor((chance[at] ?? 0) * from.length)] as T
  const begin = pick(
    Array.from({ length: days }, (_, day) => day),
    0,
  )
  const filters: ListQuery['filters'] = {
    code: pick([...codes, undefined, undefined, undefined], 1),
    operation: pick([...operations, ...operations.map(() => undefined)], 2),
    companyId: pick([undefined, undefined, 7], 3),
    dateFrom: pick([undefined, dayOf(begin)], 4),
    dateTo: pick([undefined, dayOf(begin + 30)], 5),
  }
  const sort = [pick(Object.keys(fills.sorts), 6), pick(['asc', 'desc'] as const, 7)] as const
  const { count } = await ask({ filters })
  const page = 1 + Math.floor((chance[8] ?? 0) ** 2 * Math.ceil(count / 10))
  const { ms, value } = await timed(() => ask({ filters, sort, page }))
  if (value.count !== count || (count > 0 && value.rows.length === 0))
    throw new Error('a page that is there came empty')
  return ms
}

const bench = { fill, compare, click }
declare global {
  var listBench: typeof bench
}
globalThis.listBench = bench
