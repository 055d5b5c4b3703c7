/** The user's choice of offline work, and what was fetched for it. Both survive a logout and an expired session. */
import {
  type PreparationRecord,
  type PreparedPart,
  getPreparationTable,
  readPreparationRecord,
} from '#local/storage/preparation-record.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import { findUserDatabase } from '#local/session/session.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { transact } from '#local/storage/transaction.ts'

export async function updatePreparation(
  db: UserDatabase,
  getChanges: (record: PreparationRecord) => Partial<PreparationRecord>,
): Promise<void> {
  await transact(db, ['meta'], async () => {
    const record = await readPreparationRecord(db)
    await getPreparationTable(db).put({ ...record, ...getChanges(record) })
  })
}

/** Returns null if no user is signed in. For a live query. */
export async function readPreparation(device: Device = getThisDevice()): Promise<PreparationRecord | null> {
  const db = await findUserDatabase(device)
  return db && (await readPreparationRecord(db))
}

export const isPreparationOn = async (device: Device = getThisDevice()): Promise<boolean> =>
  (await readPreparation(device))?.isOn === true

export async function setPreparation(
  change: Partial<Pick<PreparationRecord, 'isOn' | 'isOfferClosed'>>,
  device: Device = getThisDevice(),
): Promise<void> {
  const db = await findUserDatabase(device)
  if (db) await updatePreparation(db, () => change)
}

const refreshMs = 4 * 3_600_000
const retryMs = 30 * 60_000

/**
 * Returns true if the preparation is on and no run ended recently: within 30 minutes, or within 4 hours if the run was stopped or had no
 * space.
 */
export function isRunDue({ isOn, endedAt, end }: PreparationRecord, now: number): boolean {
  if (!isOn) return false
  if (endedAt === null || endedAt > now) return true
  const shouldRetrySoon = end?.kind === 'done' || end?.kind === 'problem'
  return now - endedAt >= (shouldRetrySoon ? retryMs : refreshMs)
}

export async function isPartDue(db: UserDatabase, part: PreparedPart | undefined, now: number): Promise<boolean> {
  if (!part || part.completedAt === null || part.generation !== (await readSessionGeneration(db))) return true
  const age = now - part.completedAt
  if (age < 0 || age >= refreshMs) return true
  if (part.path !== null && (await db.responses.where('path').equals(part.path).count()) === 0) return true
  return (await db.syncPoints.bulkGet(part.lists)).includes(undefined)
}
