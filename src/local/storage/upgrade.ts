/**
 * Version 5 of a user's database gave stored fields and tables the names that the code has. What was waiting is carried
 * over; cached lists are dropped, because the server has them (protocol 40).
 */
import type { Transaction } from 'dexie'

type Stored = Record<string, unknown>

const renamedTables = { names: 'rowIds', watched: 'directCalls' } as const
const renamedRecords: Readonly<Record<string, string>> = { gate: 'session-generation', made: 'write-counter' }

/** An outbox entry as version 4 stored or sealed it, in today's names; one that has them already stays as it is. */
export function renameEntry(entry: Stored): Stored {
  if (!('lane' in entry)) return entry
  const { lane, asked, makes, held, ...rest } = entry
  return {
    ...rest,
    queueKey: lane,
    input: asked,
    action: makes,
    delayedBy: held === 'line' ? 'network' : (held ?? null),
  }
}

/** The same of a receipt, which says what the write was. */
export function renameReceipt(receipt: Stored): Stored {
  const { ledgerId, about, ...rest } = receipt as { ledgerId?: unknown; about?: Stored }
  const outcome = ledgerId === undefined ? {} : { outcomeId: ledgerId }
  if (!about) return { ...rest, ...outcome }
  const { makes, ...told } = about
  return { ...rest, ...outcome, about: makes === undefined ? told : { ...told, action: makes } }
}

function renameJob(job: Stored): Stored {
  if (!('asked' in job)) return job
  const { asked, ...rest } = job
  return { ...rest, input: asked }
}

/** The same of a record in `meta`: its name is its key. */
export function renameRecord(record: Stored): Stored {
  const name = String(record['name'])
  return { ...record, name: renamedRecords[name] ?? name.replace(/^typed:/, 'draft:') }
}

/** Dexie's upgrade from any earlier version; `caches`: tables whose rows the server has. */
export async function upgradeToVersion5(transaction: Transaction, caches: readonly string[]): Promise<void> {
  const rewrite = async (table: string, rename: (record: Stored) => Stored) => {
    const all = (await transaction.table(table).toArray()) as Stored[]
    await transaction.table(table).clear()
    await transaction.table(table).bulkAdd(all.map(rename))
  }
  await rewrite('outbox', renameEntry)
  await rewrite('receipts', renameReceipt)
  await rewrite('jobs', renameJob)
  await rewrite('meta', renameRecord)
  const had = new Set(Array.from(transaction.idbtrans.objectStoreNames))
  for (const [from, to] of Object.entries(renamedTables))
    if (had.has(from)) await transaction.table(to).bulkAdd(await transaction.table(from).toArray())
  for (const table of caches) await transaction.table(table).clear()
}
