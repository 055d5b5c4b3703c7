/**
 * What became of writes, told after they are gone: what it was, whom it was about, when, how it ended. A receipt's intent
 * is also in the trail of the server (`trail.intent`), so that what was done on the train is found in the server's own
 * record. Kept for 30 days, sealed and brought back with the rest of its user's belongings.
 */
import type { Id, Intent, Row } from '#contract/endpoint.ts'
import { nameIn } from '#domain/text.ts'
import { rowsOf, rowTables, type UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { idOf } from '#local/storage/row-ids.ts'
import { readSession } from '#local/session/session.ts'
import type { About, OutboxEntry, Receipt } from '#local/storage/records.ts'

/** In ms. The server's idempotency store remembers keys for longer, so a repeat is known there even after this. */
export const receiptLifetimeMs = 30 * 86_400_000

/** What a transaction must have open for `receiptFor`. */
export const receiptTables = ['receipts', 'rowIds', ...rowTables] as const

export type Ending = Pick<Receipt, 'outcome' | 'time'> &
  Partial<Pick<Receipt, 'status' | 'body' | 'outcomeId' | 'code' | 'into'>>

/** Inside a transaction over `receiptTables`. `row`: the row as the answer tells it, else the stored one is looked up. */
export async function receiptFor(
  db: UserDatabase,
  entry: OutboxEntry,
  ending: Ending,
  row?: unknown,
): Promise<Receipt> {
  const said = row ?? (await storedRow(db, entry))
  return { intent: entry.intent, status: 0, body: '', ...ending, about: aboutOf(entry, said) }
}

async function storedRow(db: UserDatabase, { table, target }: OutboxEntry): Promise<Row | undefined> {
  const id = target === null || table === '' ? null : await idOf(db, target)
  return id === null ? undefined : (await rowsOf(db, table).get(id))?.row
}

function aboutOf({ endpoint, table, target, action, since, input: asked, base }: OutboxEntry, row: unknown): About {
  const name = nameIn({ ...(row as object | undefined), ...base }) ?? nameIn(asked.body)
  const values = { input: { body: asked.body }, base }
  const isShort = asked.body !== undefined && JSON.stringify(values).length <= longestValues
  return { endpoint, table, target, action, since, name, ...(isShort ? { values } : {}) }
}

/** In characters: a price list is no note. */
const longestValues = 2_000

/** Takes away what is older than anybody asks for. */
export async function sweepReceipts(db: UserDatabase, now: number): Promise<void> {
  const old = db.receipts.where('time').below(now - receiptLifetimeMs)
  if ((await old.count()) > 0) await old.delete()
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
  target: Id | null
  action: About['action']
  /** When its user made it. */
  since: number
  name: string | null
  values?: About['values']
  /** Of a refusal. */
  code: string | null
  /** Number of the server's own record; null: the server never had to do with it. */
  outcomeId: string | null
  /** The write that it went on in. */
  into: Intent | null
}

/** The session user's own, the newest first; for a live query. */
export async function readReceipts(most = 100, device: Device = thisDevice()): Promise<ReceiptView[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  const found = await device.of(session).receipts.orderBy('time').reverse().limit(most).toArray()
  return found.flatMap(({ about, ...receipt }) => (about ? [toldOf(receipt, about)] : []))
}

/** How many of these were done. */
export async function countDone(intents: readonly Intent[], device: Device = thisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  const found = await device.of(session).receipts.bulkGet([...intents])
  return found.filter((receipt) => receipt?.outcome === 'done').length
}

const toldOf = ({ intent, outcome, time, code, outcomeId, into }: Receipt, about: About): ReceiptView => ({
  ...about,
  intent,
  outcome,
  time,
  code: code ?? null,
  outcomeId: outcomeId ?? null,
  into: into ?? null,
})
