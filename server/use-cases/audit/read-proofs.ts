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
  // Waiting entries are counted before the checkpoint is read. So an entry that is integrated in between is counted twice, and never left
  // out.
  const pendingCount = await countPendingEntries(db, companyId)
  const alarm = await findAlarm(context, companyId)
  const latestCheckpoint = await readLatestCheckpoint(db, companyId)
  const note = latestCheckpoint?.note ?? null
  const key = getVerifierKey(app, companyId, note)
  const handovers =
    knownKey === undefined || knownKey === key ? null : await findHandovers(db, companyId, { knownKey, key })
  return { body: { note, key, pending: pendingCount, ...(handovers && { handovers }), ...(alarm && { alarm }) } }
}

/** Maximum number of entries to check per request, in addition to those of the last tile. */
const maxEntries = 1_024

/** Maximum number of tries of a check that is repeated because the log has grown in between. */
const maxTries = 5

async function findAlarm({ app, db }: UseCaseContext, companyId: number): Promise<AuditLogAlarm | null> {
  // Checks also without the lock. Otherwise somebody who holds it in the database could prevent every check.
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
      // If a batch or an archive committed between two reads, the state has changed, and the check is repeated.
      if (previousState !== null && previousState !== (await readState(db, companyId))) continue
      raiseLogAlarm(app, companyId, error)
      break
    }
  }
  return getLogAlarm(app, companyId)
}

/** Returns a text that changes with everything that the integrator or the archive does to a log. */
async function readState(db: DatabaseHandle, companyId: number): Promise<string> {
  const latestCheckpoint = await readLatestCheckpoint(db, companyId)
  return `${latestCheckpoint?.note ?? ''} ${await readArchivedEnd(db, companyId)}`
}

/** Returns the notes that lead from the known key to the current one, or null if the stored notes do not lead there. */
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

/** Returns the next key that the note names if both keys have signed the note. Otherwise returns null. */
function findNextKey(note: string, key: string): string | null {
  try {
    const nextKey = followHandovers([note], key)
    return nextKey === key ? null : nextKey
  } catch (error) {
    if (error instanceof LogError) return null
    throw error
  }
}

/** Throws NOT_FOUND if the log has no such tile. */
export const readProofTile: UseCase<typeof trailTile> = async (context, { params, query }) => {
  const companyId = await openTrail(context, query.companyId)
  const hashes = await readTile(context.db, companyId, Number(params.level), Number(params.index))
  if (!hashes) throw createNotFoundProblem()
  return { body: { hashes: toBase64(hashes) } }
}
