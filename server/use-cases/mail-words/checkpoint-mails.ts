import { getFingerprint } from '#domain/audit-log/note.ts'
import { toTimestamp } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { findCheckpoint, type CheckpointKey } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { getVerifierKey } from '#server/use-cases/audit/log-identity.ts'

export interface CheckpointMailValues {
  count: string
  time: string
  fingerprint: string
  block: string
}

/** Returns the values of a mail about a checkpoint, or null if the checkpoint no longer exists. */
export async function readCheckpointMailValues(
  db: DatabaseHandle,
  app: AppContext,
  log: CheckpointKey,
): Promise<CheckpointMailValues | null> {
  const checkpoint = await findCheckpoint(db, log)
  if (!checkpoint) return null
  const key = getVerifierKey(app, log.companyId, checkpoint.note)
  return {
    count: String(checkpoint.size),
    time: `${toTimestamp(app.config.timeZone, checkpoint.time)} (${app.config.timeZone})`,
    fingerprint: getFingerprint(key),
    block: `${checkpoint.note.trimEnd()}\n\n${key}`,
  }
}
