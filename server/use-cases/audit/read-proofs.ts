/** What the device proves entries by: the signed checkpoint and the hashes of the tree. */
import type { trailCheckpoint, trailTile } from '#contract/audit-trail.ts'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { followHandovers } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { readArchivedEnd } from '#server/db/audit/audit-archive.ts'
import {
  countPendingEntries,
  listHandoverNotes,
  tryLockLog,
  readLatestCheckpoint,
  listPendingEntries,
  readTile,
} from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { openTrail } from '#server/use-cases/audit/audit-trail.ts'
import { requireSealedEntries } from '#server/use-cases/audit/check-waiting-entries.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { getLogAlarm, type AuditLogAlarm, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { getVerifierKey } from '#server/use-cases/audit/log-identity.ts'
import { getLastReadNote } from '#server/use-cases/audit/stored-notes.ts'

export const readProofCheckpoint: UseCase<typeof trailCheckpoint> = async (
  context,
  { query: { companyId: requestedCompanyId, known: knownKey } },
) => {
  const companyId = await openTrail(context, requestedCompanyId)
  const { db, app } = context
  // Before the checkpoint: what finds its place in between is then in both, and never in neither.
  const pendingCount = await countPendingEntries(db, companyId)
  const alarm = await findAlarm(context, companyId)
  const latestCheckpoint = await readLatestCheckpoint(db, companyId)
  const note = latestCheckpoint?.note ?? null
  const key = getVerifierKey(app, companyId, note)
  const handovers =
    knownKey === undefined || knownKey === key ? null : await findHandovers(db, companyId, { knownKey, key })
  return { body: { note, key, pending: pendingCount, ...(handovers && { handovers }), ...(alarm && { alarm }) } }
}

/** Entries that are looked at for a reader, beside those of the last tile. */
const maxEntries = 1_024

/** How often a check begins again because the log has grown meanwhile. */
const maxTries = 5

/** What this process has found in the log before, or finds now. Null: nothing. */
async function findAlarm({ app, db }: UseCaseContext, companyId: number): Promise<AuditLogAlarm | null> {
  // Not only where the lock is free: whoever holds it in the database would keep every reader from looking.
  const isLocked = await tryLockLog(db, companyId)
  for (let tries = 0; tries < maxTries; tries++) {
    const previousState = isLocked ? null : await readState(db, companyId)
    try {
      const { edge } = await checkSignedEdge(app, db, companyId, {
        storedNote: getLastReadNote(app, companyId),
        maxEntries,
      })
      requireSealedEntries(app, companyId, {
        size: edge.size,
        entries: await listPendingEntries(db, companyId, maxEntries),
      })
      break
    } catch (error) {
      if (!(error instanceof ChangedLogError)) throw error
      // A batch or an archive in between has committed a part of what was read, and says so by another state.
      if (previousState !== null && previousState !== (await readState(db, companyId))) continue
      raiseLogAlarm(app, companyId, error)
      break
    }
  }
  return getLogAlarm(app, companyId)
}

/** Changes with everything that the integrator or the archive does to a log. */
async function readState(db: DatabaseHandle, companyId: number): Promise<string> {
  const latestCheckpoint = await readLatestCheckpoint(db, companyId)
  return `${latestCheckpoint?.note ?? ''} ${await readArchivedEnd(db, companyId)}`
}

/** Null: none leads there. More changes than that are followed by nobody. */
export async function findHandovers(
  db: DatabaseHandle,
  companyId: number,
  { knownKey, key: currentKey }: { knownKey: string; key: string },
): Promise<string[] | null> {
  const notes = await listHandoverNotes(db, companyId)
  const handovers: string[] = []
  for (let key = knownKey; key !== currentKey; ) {
    const nextHandover = notes
      .map((note) => [note, findNextKey(note, key)] as const)
      .find(([, namedKey]) => namedKey !== null)
    if (!nextHandover?.[1] || handovers.length === notes.length) return null
    handovers.push(nextHandover[0])
    key = nextHandover[1]
  }
  return handovers
}

/** Null: the note says nothing of what takes that key's place. The one that it names has signed it too. */
function findNextKey(note: string, key: string): string | null {
  try {
    const nextKey = followHandovers([note], key)
    return nextKey === key ? null : nextKey
  } catch (error) {
    if (error instanceof LogError) return null
    throw error
  }
}

/** Throws NOT_FOUND where the log is not that large. */
export const readProofTile: UseCase<typeof trailTile> = async (context, { params, query }) => {
  const companyId = await openTrail(context, query.companyId)
  const hashes = await readTile(context.db, companyId, Number(params.level), Number(params.index))
  if (!hashes) throw createNotFoundProblem()
  return { body: { hashes: toBase64(hashes) } }
}
