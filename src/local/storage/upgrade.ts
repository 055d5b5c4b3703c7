/**
 * Versions of a user's database that gave stored fields and tables the names that the code has (protocol 40). Version 5 carries over
 * what was waiting and drops cached lists, because the server has them; version 9 keeps all that is there.
 */
import type { Table, Transaction } from 'dexie'

type OldRecord = Record<string, unknown>

type FieldNames = Readonly<Record<string, string>>

const tablesRenamedIn5 = { names: 'rowIds', watched: 'directCalls' } as const
/** Names of records in `meta`. */
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

/** An outbox entry as version 4 stored or sealed it, in today's names; one that has them already stays as it is. */
export function renameEntry(entry: OldRecord): OldRecord {
  if (!('lane' in entry)) return entry
  const { delayedBy, ...rest } = renameFields(entry, entryFields)
  return { ...rest, delayedBy: delayedBy === 'line' ? 'network' : (delayedBy ?? null) }
}

/** The same of a receipt, which says what the write was. */
export function renameReceipt(receipt: OldRecord): OldRecord {
  const renamed = renameFields(receipt, { ledgerId: 'outcomeId' })
  const about = renamed['about'] as OldRecord | undefined
  return about ? { ...renamed, about: renameFields(about, { makes: 'action' }) } : renamed
}

const renameJob = (job: OldRecord): OldRecord => renameFields(job, { asked: 'input' })

/** The same of a record in `meta`: its name is its key. */
export function renameRecord(record: OldRecord): OldRecord {
  const name = String(record['name'])
  return { ...record, name: recordNames.get(name) ?? name.replace(/^typed:/, 'draft:') }
}

/** Dexie's upgrade from any earlier version; `caches`: tables whose rows the server has. */
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

/** Of tables that say what is known about rows. Rows themselves change additively: a page of an earlier build reads them too. */
const listFields: Readonly<Record<string, FieldNames>> = {
  syncPoints: { upto: 'changeNumber' },
  listStats: { newest: 'latestAsOf' },
}

/** A record of such a table as version 8 stored or sealed it, in today's names; one of another table stays as it is. */
export const renameCachedRecord = (table: string, record: OldRecord): OldRecord =>
  renameFields(record, listFields[table] ?? {})

/** A write as version 8 sealed it, in today's names. */
export const renameSealedWrite = (draft: OldRecord): OldRecord =>
  renameFields(draft, { refers: 'referredIntents', versioned: 'isVersioned' })

/** Dexie's upgrade from version 8. */
export async function upgradeToVersion9(transaction: Transaction): Promise<void> {
  const rewriteTable = async (name: string, rename: (record: OldRecord) => OldRecord) => {
    const table = transaction.table(name)
    await table.bulkPut(((await table.toArray()) as OldRecord[]).map(rename))
  }
  for (const name of Object.keys(listFields)) await rewriteTable(name, (record) => renameCachedRecord(name, record))
  const persistence = (await transaction.table('meta').get('persist')) as OldRecord | undefined
  if (persistence) await transaction.table('meta').put(renameFields(persistence, { askedAt: 'requestedAt' }))
}

/** The device's directory, from its version 1. */
export async function renameOccupantFields(occupants: Table): Promise<void> {
  const records = (await occupants.toArray()) as OldRecord[]
  await occupants.bulkPut(records.map((record) => renameFields(record, { lapsed: 'isExpired' })))
}
