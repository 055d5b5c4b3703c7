/**
 * Calls that are never queued (protocol 13): noted before their first byte leaves. While nobody knows how one went, it is
 * asked about and shown as unknown; nothing sends it again but its user. Once known it is a receipt like any other.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'
import type { Receipt, DirectCall } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** In ms. So long a call may be on its way with nobody asking: as long as a request is waited for, and a little more. */
const graceMs = 45_000

export type NewDirectCall = Pick<DirectCall, 'intent' | 'key' | 'endpoint' | 'forUser' | 'since' | 'name'>

/** On disk before anything leaves. The same wish with other bytes takes the place of the former. */
export async function beginDirectCall(db: UserDatabase, call: NewDirectCall): Promise<void> {
  const nextAt = call.since + graceMs
  await db.directCalls.put({ ...call, state: 'sending', nextAt, failures: 0 })
}

/** No answer of ours came: asked about from now on. */
export async function markUnknown(db: UserDatabase, { intent, key }: NewDirectCall, now: number): Promise<void> {
  await transact(db, ['directCalls'], async () => {
    const storedCall = await db.directCalls.get(intent)
    if (storedCall?.key === key) await db.directCalls.put({ ...storedCall, state: 'unknown', nextAt: now })
  })
}

/** Those to be asked about now; of one that was cut off with its page nobody knows how it went. */
export async function findCallsToCheck(db: UserDatabase, now: number): Promise<DirectCall[]> {
  return await db.directCalls.filter(({ nextAt, since }) => nextAt <= now || since > now).toArray()
}

/** The server could not be asked. */
export async function delayCheck(db: UserDatabase, { intent, key }: DirectCall, nextAt: number): Promise<void> {
  await transact(db, ['directCalls'], async () => {
    const storedCall = await db.directCalls.get(intent)
    if (storedCall?.key !== key) return
    await db.directCalls.put({ ...storedCall, state: 'unknown', failures: storedCall.failures + 1, nextAt })
  })
}

/** Its outcome is known: `null` where whoever asked has been told, else it becomes a receipt. */
export async function endDirectCall(
  db: UserDatabase,
  { intent, key, endpoint, since, name = null }: NewDirectCall,
  receiptFields: Pick<Receipt, 'outcome' | 'status' | 'time' | 'outcomeId' | 'code'> | null,
): Promise<void> {
  await transact(db, ['directCalls', 'receipts'], async () => {
    if ((await db.directCalls.get(intent))?.key !== key) return
    await db.directCalls.delete(intent)
    const description = { endpoint, table: '', target: null, action: 'change', since, name } as const
    if (receiptFields) await db.receipts.put({ intent, body: '', ...receiptFields, about: description })
  })
}

/** The server made sure that this wish never runs: whoever sends it again wishes anew. */
export const isVoidedIntent = async (db: UserDatabase, intent: Intent): Promise<boolean> =>
  (await db.receipts.get(intent))?.outcome === 'void'

/** Calls of the session's user that may or may not have happened; for a live query. */
export async function readUnknownCalls(
  device: Device = getThisDevice(),
): Promise<Pick<DirectCall, 'intent' | 'endpoint' | 'since' | 'name'>[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  return await device
    .getDatabase(session)
    .directCalls.filter(({ state }) => state === 'unknown')
    .toArray()
}
