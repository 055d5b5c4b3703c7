/**
 * Version 5 of a user's database gave stored fields and tables the names that the code has. What was waiting is carried
 * over; cached lists are dropped, because the server has them (protocol 40).
 */
import type { Transaction } from 'dexie'

type OldRecord = Record<string, unknown>

const renamedTables = { names: 'rowIds', watched: 'directCalls' } as const
const renamedRecords: Readonly<Record<string, string>> = { gate: 'session-generation', made: 'write-counter' }

/** An outbox entry as version 4 stored or sealed it, in today's names; one that has them already stays as it is. */
export function renameEntry(entry: OldRecord): OldRecord {
  if (!('lane' in entry)) return entry
  const { lane: queueKey, asked: input, makes: action, held: delayedBy, ...rest } = entry
  return {
    ...rest,
    queueKey,
    input,
    action,
    delayedBy: delayedBy === 'line' ? 'network' : (delayedBy ?? null),
  }
}

/** The same of a receipt, which says what the write was. */
export function renameReceipt(receipt: OldRecord): OldRecord {
  const { ledgerId: outcomeId, about, ...rest } = receipt as { ledgerId?: unknown; about?: OldRecord }
  const outcomeFields = outcomeId === undefined ? {} : { outcomeId }
  if (!about) return { ...rest, ...outcomeFields }
  const { makes: action, ...description } = about
  return { ...rest, ...outcomeFields, about: action === undefined ? description : { ...description, action } }
}

function renameJob(job: OldRecord): OldRecord {
  if (!('asked' in job)) return job
  const { asked: input, ...rest } = job
  return { ...rest, input }
}

/** The same of a record in `meta`: its name is its key. */
export function renameRecord(record: OldRecord): OldRecord {
  const name = String(record['name'])
  return { ...record, name: renamedRecords[name] ?? name.replace(/^typed:/, 'draft:') }
}

/** Dexie's upgrade from any earlier version; `caches`: tables whose rows the server has. */
export async function upgradeToVersion5(transaction: Transaction, caches: readonly string[]): Promise<void> {
  const rewriteTable = async (table: string, renameFields: (record: OldRecord) => OldRecord) => {
    const records = (await transaction.table(table).toArray()) as OldRecord[]
    await transaction.table(table).clear()
    await transaction.table(table).bulkAdd(records.map(renameFields))
  }
  await rewriteTable('outbox', renameEntry)
  await rewriteTable('receipts', renameReceipt)
  await rewriteTable('jobs', renameJob)
  await rewriteTable('meta', renameRecord)
  const storeNames = new Set(Array.from(transaction.idbtrans.objectStoreNames))
  for (const [from, to] of Object.entries(renamedTables))
    if (storeNames.has(from)) await transaction.table(to).bulkAdd(await transaction.table(from).toArray())
  for (const table of caches) await transaction.table(table).clear()
}
