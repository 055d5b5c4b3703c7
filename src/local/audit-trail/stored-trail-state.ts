import { storedTrailTables } from '#local/storage/database.ts'
import type { StoredTrail, LogAlarm } from '#local/storage/trail-records.ts'
import { readTrailChoices } from '#local/storage/trail-choices.ts'
import { findUserDatabase } from '#local/session/session.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readInTransaction } from '#local/storage/transaction.ts'

export interface StoredTrailState {
  storedTrail: StoredTrail | null
  alarm: LogAlarm | null
}

/** Returns null if no user is signed in. */
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

export async function hasStoredTrail(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  if (!db) return false
  return (await db.storedTrails.count()) > 0 || (await readTrailChoices(db)).length > 0
}
