/**
 * Stores calls that are never queued (protocol 13). A call is stored before its first byte is sent. While its outcome is unknown, the
 * server is polled and the call is shown as unknown; only its user can resend it. When the outcome is known, the call becomes a receipt.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'
import type { Receipt, DirectCall } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/** Time in ms that a call may run before its outcome is checked: the request timeout and a little more. */
const graceMs = 45_000

export type NewDirectCall = Pick<DirectCall, 'intent' | 'key' | 'endpoint' | 'forUser' | 'since' | 'name'>

/** Stores the call before anything is sent. A call of the same intent with other bytes replaces the earlier one. */
export async function beginDirectCall(db: UserDatabase, call: NewDirectCall): Promise<void> {
  const nextAt = call.since + graceMs
  await db.directCalls.put({ ...call, state: 'sending', nextAt, failures: 0 })
}

/** Called if no response of the portal arrived. The outcome is checked from now on. */
export async function markUnknown(db: UserDatabase, { intent, key }: NewDirectCall, now: number): Promise<void> {
  await transact(db, ['directCalls'], async () => {
    const storedCall = await db.directCalls.get(intent)
    if (storedCall?.key === key) await db.directCalls.put({ ...storedCall, state: 'unknown', nextAt: now })
  })
}

/** Returns calls whose outcome must be checked now, including those that were interrupted when their page closed. */
export async function findCallsToCheck(db: UserDatabase, now: number): Promise<DirectCall[]> {
  return await db.directCalls.filter(({ nextAt, since }) => nextAt <= now || since > now).toArray()
}

export async function delayCheck(db: UserDatabase, { intent, key }: DirectCall, nextAt: number): Promise<void> {
  await transact(db, ['directCalls'], async () => {
    const storedCall = await db.directCalls.get(intent)
    if (storedCall?.key !== key) return
    await db.directCalls.put({ ...storedCall, state: 'unknown', failures: storedCall.failures + 1, nextAt })
  })
}

/** Ends a call whose outcome is known. It becomes a receipt unless `receiptFields` is null, which means that the caller has the result. */
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

/** Returns true if the server guarantees that this intent never runs. To send it again, a new intent is needed. */
export const isVoidedIntent = async (db: UserDatabase, intent: Intent): Promise<boolean> =>
  (await db.receipts.get(intent))?.outcome === 'void'

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
