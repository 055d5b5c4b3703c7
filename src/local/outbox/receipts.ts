/**
 * Stores receipts: what a write was, which row it changed, when it ended and how. A receipt's intent is also in the server's audit trail
 * (`trail.intent`), so an offline change can be found there. Receipts are stored for 30 days, and are sealed and restored with the user's
 * other data.
 */
import type { RowRef, Intent, VersionedRow } from '#contract/endpoint.ts'
import { getDisplayName } from '#domain/text.ts'
import { getRowTable, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import { readSession } from '#local/session/session.ts'
import type { WriteDescription, OutboxEntry, Receipt } from '#local/storage/records.ts'

/**
 * Time in ms for which a receipt is stored. The server's idempotency store keeps keys longer, so it still recognises a repeated write after
 * this time.
 */
export const receiptLifetimeMs = 30 * 86_400_000

export const receiptTables = ['receipts', 'rowIds', ...rowTables] as const

export type ReceiptEnding = Pick<Receipt, 'outcome' | 'time'> &
  Partial<Pick<Receipt, 'status' | 'body' | 'outcomeId' | 'code' | 'into'>>

/** Must run inside a transaction over `receiptTables`. `row` is the row of the response; if absent, the stored row is read. */
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

/** Maximum length of stored values in characters. Longer values, such as a price list, are not stored. */
const maxValuesLength = 2_000

export async function deleteOldReceipts(db: UserDatabase, now: number): Promise<void> {
  const oldReceipts = db.receipts.where('time').below(now - receiptLifetimeMs)
  if ((await oldReceipts.count()) > 0) await oldReceipts.delete()
}

export interface ReceiptView {
  /** This intent is also in the server's audit trail. */
  intent: Intent
  outcome: Receipt['outcome']
  /** Time of the outcome (device clock, epoch ms). */
  time: number
  endpoint: string
  table: string
  target: RowRef | null
  action: WriteDescription['action']
  since: number
  name: string | null
  values?: WriteDescription['values']
  /** Problem code of a refusal, otherwise null. */
  code: string | null
  /** Number of the server's record. Null if the server never received the write. */
  outcomeId: string | null
  mergedIntoIntent: Intent | null
}

export async function readReceipts(maxCount = 100, device: Device = getThisDevice()): Promise<ReceiptView[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  const receipts = await device.getDatabase(session).receipts.orderBy('time').reverse().limit(maxCount).toArray()
  return receipts.flatMap(({ about, ...receipt }) => (about ? [toReceiptView(receipt, about)] : []))
}

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
