/**
 * Upgrades a user's database to versions in which stored fields and tables have the names of the code (protocol 40). Version 5 keeps
 * waiting writes and drops cached lists, because the server has them. Version 9 keeps everything.
 */
import type { Table, Transaction } from 'dexie'

type OldRecord = Record<string, unknown>

type FieldNames = Readonly<Record<string, string>>

const tablesRenamedIn5 = { names: 'rowIds', watched: 'directCalls' } as const
const recordNames: ReadonlyMap<string, string> = new Map([
  ['gate', 'session-generation'],
  ['made', 'write-counter'],
])

function renameFields(record: OldRecord, names: FieldNames): OldRecord {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [Object.hasOwn(names, field) ? names[field] : field, value]),
  )
}

const entryFields: FieldNames = { lane: 'queueKey', asked: 'input', makes: 'action', held: 'delayedBy' }

/** Renames the fields of an outbox entry that version 4 stored or sealed. An entry with current names is returned unchanged. */
export function renameEntry(entry: OldRecord): OldRecord {
  if (!('lane' in entry)) return entry
  const { delayedBy, ...rest } = renameFields(entry, entryFields)
  return { ...rest, delayedBy: delayedBy === 'line' ? 'network' : (delayedBy ?? null) }
}

export function renameReceipt(receipt: OldRecord): OldRecord {
  const renamed = renameFields(receipt, { ledgerId: 'outcomeId' })
  const about = renamed['about'] as OldRecord | undefined
  return about ? { ...renamed, about: renameFields(about, { makes: 'action' }) } : renamed
}

const renameJob = (job: OldRecord): OldRecord => renameFields(job, { asked: 'input' })

export function renameRecord(record: OldRecord): OldRecord {
  const name = String(record['name'])
  return { ...record, name: recordNames.get(name) ?? name.replace(/^typed:/, 'draft:') }
}

/** Upgrades a Dexie database from any earlier version. `caches` are tables whose rows the server has. */
export async function upgradeToVersion5(transaction: Transaction, caches: readonly string[]): Promise<void> {
  const rewriteTable = async (table: string, rename: (record: OldRecord) => OldRecord) => {
    const records = (await transaction.table(table).toArray()) as OldRecord[]
    await transaction.table(table).clear()
    await transaction.table(table).bulkAdd(records.map(rename))
  }
  await rewriteTable('outbox', renameEntry)
  await rewriteTable('receipts', renameReceipt)
  await rewriteTable('jobs', renameJob)
  await rewriteTable('meta', renameRecord)
  const storeNames = new Set(Array.from(transaction.idbtrans.objectStoreNames))
  for (const [from, to] of Object.entries(tablesRenamedIn5))
    if (storeNames.has(from)) await transaction.table(to).bulkAdd(await transaction.table(from).toArray())
  for (const table of caches) await transaction.table(table).clear()
}

/** Renamed fields of list metadata. Rows change only additively, because a page of an earlier build reads them too. */
const listFields: Readonly<Record<string, FieldNames>> = {
  syncPoints: { upto: 'changeNumber' },
  listStats: { newest: 'latestAsOf' },
}

/** Renames the fields of a list metadata record that version 8 stored or sealed. Records of other tables are returned unchanged. */
export const renameCachedRecord = (table: string, record: OldRecord): OldRecord =>
  renameFields(record, listFields[table] ?? {})

export const renameSealedWrite = (draft: OldRecord): OldRecord =>
  renameFields(draft, { refers: 'referredIntents', versioned: 'isVersioned' })

export async function upgradeToVersion9(transaction: Transaction): Promise<void> {
  const rewriteTable = async (name: string, rename: (record: OldRecord) => OldRecord) => {
    const table = transaction.table(name)
    await table.bulkPut(((await table.toArray()) as OldRecord[]).map(rename))
  }
  for (const name of Object.keys(listFields)) await rewriteTable(name, (record) => renameCachedRecord(name, record))
  const persistence = (await transaction.table('meta').get('persist')) as OldRecord | undefined
  if (persistence) await transaction.table('meta').put(renameFields(persistence, { askedAt: 'requestedAt' }))
}

export async function renameOccupantFields(occupants: Table): Promise<void> {
  const records = (await occupants.toArray()) as OldRecord[]
  await occupants.bulkPut(records.map((record) => renameFields(record, { lapsed: 'isExpired' })))
}
