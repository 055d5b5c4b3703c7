import { storedTrailTables } from '#local/storage/database.ts'
/** What is kept of a company's audit trail and how its log stands, for live queries of the screens. */
import type { StoredTrail, LogAlarm } from '#local/storage/trail-records.ts'
import { readTrailChoices } from '#local/storage/trail-choices.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readInTransaction } from '#local/storage/transaction.ts'

export interface StoredTrailState {
  /** Null: nothing is kept. */
  storedTrail: StoredTrail | null
  alarm: LogAlarm | null
}

/** Null: nobody is signed in. */
export async function readStoredTrailState(
  companyId: number,
  device: Device = getThisDevice(),
): Promise<StoredTrailState | null> {
  const db = await findUserDatabase(device)
  if (!db) return null
  return await readInTransaction(db, [...storedTrailTables, 'logCheckpoints'], async () => {
    const [storedTrail, checkpoint] = await Promise.all([
      db.storedTrails.get(companyId),
      db.logCheckpoints.get(companyId),
    ])
    return { storedTrail: storedTrail ?? null, alarm: checkpoint?.alarm ?? null }
  })
}

/** Whether anything is kept that could be out of date, or was and is to be kept again. */
export async function hasStoredTrail(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (!db) return false
  return (await db.storedTrails.count()) > 0 || (await readTrailChoices(db)).length > 0
}
