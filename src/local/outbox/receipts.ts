/**
 * What became of writes, told after they are gone: what it was, whom it was about, when, how it ended. A receipt's intent
 * is also in the trail of the server (`trail.intent`), so that what was done on the train is found in the server's own
 * record. Kept for 30 days, sealed and brought back with the rest of its user's belongings.
 */
import type { RowRef, Intent, VersionedRow } from '#contract/endpoint.ts'
import { getDisplayName } from '#domain/text.ts'
import { getRowTable, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import { readSession } from '#local/session/session.ts'
import type { WriteDescription, OutboxEntry, Receipt } from '#local/storage/records.ts'

/** In ms. The server's idempotency store remembers keys for longer, so a repeat is known there even after this. */
export const receiptLifetimeMs = 30 * 86_400_000

/** What a transaction must have open for `createReceipt`. */
export const receiptTables = ['receipts', 'rowIds', ...rowTables] as const

export type ReceiptEnding = Pick<Receipt, 'outcome' | 'time'> &
  Partial<Pick<Receipt, 'status' | 'body' | 'outcomeId' | 'code' | 'into'>>

/** Inside a transaction over `receiptTables`. `row`: the row as the answer tells it, else the stored one is looked up. */
export async function createReceipt(
  db: UserDatabase,
  entry: OutboxEntry,
  ending: ReceiptEnding,
  row?: unknown,
): Promise<Receipt> {
  const namedRow = row ?? (await readStoredRow(db, entry))
  return { intent: entry.intent, status: 0, body: '', ...ending, about: describeWrite(entry, namedRow) }
}

async function readStoredRow(db: UserDatabase, { table, target }: OutboxEntry): Promise<VersionedRow | undefined> {
  const id = target === null || table === '' ? null : await findRowId(db, target)
  return id === null ? undefined : (await getRowTable(db, table).get(id))?.row
}

function describeWrite(
  { endpoint, table, target, action, since, input, base }: OutboxEntry,
  row: unknown,
): WriteDescription {
  const name = getDisplayName({ ...(row as object | undefined), ...base }) ?? getDisplayName(input.body)
  const values = { input: { body: input.body }, base }
  const isShort = input.body !== undefined && JSON.stringify(values).length <= maxValuesLength
  return { endpoint, table, target, action, since, name, ...(isShort ? { values } : {}) }
}

/** In characters: a price list is no note. */
const maxValuesLength = 2_000

/** Takes away what is older than anybody asks for. */
export async function deleteOldReceipts(db: UserDatabase, now: number): Promise<void> {
  const oldReceipts = db.receipts.where('time').below(now - receiptLifetimeMs)
  if ((await oldReceipts.count()) > 0) await oldReceipts.delete()
}

/** A receipt as the screens see it. */
export interface ReceiptView {
  /** Also the correlation id in the trail of the server. */
  intent: Intent
  outcome: Receipt['outcome']
  /** When it ended, device clock, epoch ms. */
  time: number
  endpoint: string
  table: string
  target: RowRef | null
  action: WriteDescription['action']
  /** When its user made it. */
  since: number
  name: string | null
  values?: WriteDescription['values']
  /** Of a refusal. */
  code: string | null
  /** Number of the server's own record; null: the server never had to do with it. */
  outcomeId: string | null
  /** The write that it went on in. */
  mergedIntoIntent: Intent | null
}

/** The session user's own, the newest first; for a live query. */
export async function readReceipts(maxCount = 100, device: Device = getThisDevice()): Promise<ReceiptView[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  const receipts = await device.getDatabase(session).receipts.orderBy('time').reverse().limit(maxCount).toArray()
  return receipts.flatMap(({ about, ...receipt }) => (about ? [toReceiptView(receipt, about)] : []))
}

/** How many of these were done. */
export async function countDone(intents: readonly Intent[], device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  const receipts = await device.getDatabase(session).receipts.bulkGet([...intents])
  return receipts.filter((receipt) => receipt?.outcome === 'done').length
}

const toReceiptView = (
  { intent, outcome, time, code, outcomeId, into }: Receipt,
  about: WriteDescription,
): ReceiptView => ({
  ...about,
  intent,
  outcome,
  time,
  code: code ?? null,
  outcomeId: outcomeId ?? null,
  mergedIntoIntent: into ?? null,
})
