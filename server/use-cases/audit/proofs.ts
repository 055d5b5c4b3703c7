/** What the device proves entries by: the signed checkpoint and the hashes of the tree. */
import type { trailCheckpoint, trailTile } from '#contract/audit-trail.ts'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { followHandovers } from '#domain/audit-log/checkpoint.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { archivedUpTo } from '#server/db/audit/audit-archive.ts'
import {
  countPending,
  handoverNotes,
  lockLog,
  newestCheckpoint,
  pendingEntries,
  tileOf,
} from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { openLog } from '#server/use-cases/audit/audit-trail.ts'
import { checkWaiting } from '#server/use-cases/audit/check-waiting.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { getLogAlarm, type LogAlarm, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { keyOf } from '#server/use-cases/audit/log-identity.ts'
import { getLastReadNote } from '#server/use-cases/audit/stored-notes.ts'

export const checkpoint: UseCase<typeof trailCheckpoint> = async (context, { query: { companyId: asked, known } }) => {
  const companyId = await openLog(context, asked)
  const { db, app } = context
  // Before the checkpoint: what finds its place in between is then in both, and never in neither.
  const pending = await countPending(db, companyId)
  const alarm = await findAlarm(context, companyId)
  const newest = await newestCheckpoint(db, companyId)
  const note = newest?.note ?? null
  const key = keyOf(app, companyId, note)
  const handovers = known === undefined || known === key ? null : await handoversTo(db, companyId, { known, key })
  return { body: { note, key, pending, ...(handovers && { handovers }), ...(alarm && { alarm }) } }
}

/** Entries that are looked at for a reader, beside those of the last tile. */
const maxEntries = 1_024

/** How often a check begins again because the log has grown meanwhile. */
const maxTries = 5

/** What this process has found in the log before, or finds now. Null: nothing. */
async function findAlarm({ app, db }: UseCaseContext, companyId: number): Promise<LogAlarm | null> {
  // Not only where the lock is free: whoever holds it in the database would keep every reader from looking.
  const isLocked = await lockLog(db, companyId)
  for (let tries = 0; tries < maxTries; tries++) {
    const before = isLocked ? null : await readState(db, companyId)
    try {
      const { edge } = await checkSignedEdge(app, db, companyId, {
        storedNote: getLastReadNote(app, companyId),
        maxEntries,
      })
      checkWaiting(app, companyId, { size: edge.size, entries: await pendingEntries(db, companyId, maxEntries) })
      break
    } catch (error) {
      if (!(error instanceof ChangedLogError)) throw error
      // A batch or an archive in between has committed a part of what was read, and says so by another state.
      if (before !== null && before !== (await readState(db, companyId))) continue
      raiseLogAlarm(app, companyId, error)
      break
    }
  }
  return getLogAlarm(app, companyId)
}

/** Changes with everything that the integrator or the archive does to a log. */
async function readState(db: Handle, companyId: number): Promise<string> {
  const newest = await newestCheckpoint(db, companyId)
  return `${newest?.note ?? ''} ${await archivedUpTo(db, companyId)}`
}

/** Null: none leads there. More changes than that are followed by nobody. */
export async function handoversTo(
  db: Handle,
  companyId: number,
  { known, key: wanted }: { known: string; key: string },
): Promise<string[] | null> {
  const notes = await handoverNotes(db, companyId)
  const found: string[] = []
  for (let key = known; key !== wanted; ) {
    const next = notes.map((note) => [note, keyAfter(note, key)] as const).find(([, named]) => named !== null)
    if (!next?.[1] || found.length === notes.length) return null
    found.push(next[0])
    key = next[1]
  }
  return found
}

/** Null: the note says nothing of what takes that key's place. The one that it names has signed it too. */
function keyAfter(note: string, key: string): string | null {
  try {
    const next = followHandovers([note], key)
    return next === key ? null : next
  } catch (error) {
    if (error instanceof LogError) return null
    throw error
  }
}

/** Throws NOT_FOUND where the log is not that large. */
export const tile: UseCase<typeof trailTile> = async (context, { params, query }) => {
  const companyId = await openLog(context, query.companyId)
  const hashes = await tileOf(context.db, companyId, Number(params.level), Number(params.index))
  if (!hashes) throw notFound()
  return { body: { hashes: toBase64(hashes) } }
}
