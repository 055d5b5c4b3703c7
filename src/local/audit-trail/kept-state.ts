/** What is kept of a company's audit trail and how its log stands, for live queries of the screens. */
import type { KeptTrail, LogAlarm } from '#local/storage/trail-records.ts'
import { readChoices } from '#local/storage/trail-choices.ts'
import { readSession } from '#local/session/session.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { readTogether } from '#local/storage/transaction.ts'

export interface KeptState {
  /** Null: nothing is kept. */
  kept: KeptTrail | null
  alarm: LogAlarm | null
}

/** Null: nobody is signed in. */
export async function readKeptState(companyId: number, device: Device = thisDevice()): Promise<KeptState | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  return await readTogether(db, ['keptTrails', 'logCheckpoints'], async () => {
    const [kept, checkpoint] = await Promise.all([db.keptTrails.get(companyId), db.logCheckpoints.get(companyId)])
    return { kept: kept ?? null, alarm: checkpoint?.alarm ?? null }
  })
}

/** Whether anything is kept that could be out of date, or was and is to be kept again. */
export async function isAnyKept(device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  const db = device.of(session)
  return (await db.keptTrails.count()) > 0 || (await readChoices(db)).length > 0
}
