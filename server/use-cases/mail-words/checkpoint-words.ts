/** A checkpoint as a mail shows it. */
import { fingerprintOf } from '#domain/audit-log/note.ts'
import { timestampIn } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { checkpointOf, type MailedLog } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import { keyOf } from '#server/use-cases/audit/log-identity.ts'

export interface CheckpointWords {
  count: string
  time: string
  fingerprint: string
  /** The signed note and the key, as they are checked by. */
  block: string
}

/** Null: it is there no more. */
export async function checkpointWords(db: Handle, app: AppContext, log: MailedLog): Promise<CheckpointWords | null> {
  const checkpoint = await checkpointOf(db, log)
  if (!checkpoint) return null
  const key = keyOf(app, log.companyId, checkpoint.note)
  return {
    count: String(checkpoint.size),
    time: `${timestampIn(app.config.timeZone, checkpoint.time)} (${app.config.timeZone})`,
    fingerprint: fingerprintOf(key),
    block: `${checkpoint.note.trimEnd()}\n\n${key}`,
  }
}
