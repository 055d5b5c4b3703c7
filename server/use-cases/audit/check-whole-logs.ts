/** Every entry and checkpoint of a log, in pieces that each leave the database to others: at the start, once a day, and after an alarm. */
import { setTimeout as wait } from 'node:timers/promises'
import type { AppContext } from '#server/context/context.ts'
import { logsToCheck } from '#server/db/audit/audit-checks.ts'
import { newestCheckpoint, pendingEntries } from '#server/db/audit/audit-log.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { checkEntries, checkTree, findLostLogs } from '#server/use-cases/audit/check-log.ts'
import { checkWaiting } from '#server/use-cases/audit/check-waiting.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { clearLogAlarm, mailLogAlarms, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes, writeStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

const pieceEntries = 250
const system = { role: 'portal_system' } as const

/** Raises an alarm for each log that is not what was signed. What is in order and newer than what the store has is written there. */
export async function checkWholeLogs(app: AppContext, isStopping: () => boolean = () => false): Promise<void> {
  const storedNotes = await readStoredNotes(app)
  const logs = await inTransaction(app, system, (db) => logsToCheck(db, null), 'reading')
  for (const companyId of findLostLogs(logs, storedNotes ?? new Map(), null))
    raiseLogAlarm(app, companyId, new ChangedLogError('LOG_SHRANK', 'the log is gone', { from: 0, to: 1 }))
  const checked = new Map<number, string>()
  for (const { companyId } of logs) {
    if (isStopping()) break
    const note = await checkWholeLog(app, companyId, storedNotes?.get(companyId), { restFactor: 2 })
    if (note !== null) checked.set(companyId, note)
  }
  if (storedNotes) await writeStoredNotes(app, checked)
  await mailLogAlarms(app)
}

/**
 * Returns the newest note of a log in which nothing is wrong; null: there is none, or the alarm was raised. `restFactor`: how many times
 * as long as a piece takes it rests before the next one.
 */
export async function checkWholeLog(
  app: AppContext,
  companyId: number,
  storedNote: string | undefined,
  { restFactor = 0 } = {},
): Promise<string | null> {
  for (let from = 0, rows = pieceEntries; rows === pieceEntries; from += pieceEntries) {
    const start = performance.now()
    const piece = await inTransaction(
      app,
      system,
      (db) => checkEntries(db, companyId, { from, most: pieceEntries }),
      'reading',
    )
    rows = piece.rows
    const [place] = piece.places
    if (place === undefined) {
      if (rows === pieceEntries) await wait(restFactor * (performance.now() - start))
      continue
    }
    raiseLogAlarm(
      app,
      companyId,
      new ChangedLogError('ENTRY_DIFFERS', `entry ${place}`, { from: place, to: place + 1 }),
    )
    return null
  }
  const { broken, newest, fault } = await inTransaction(app, system, async (db) => ({
    broken: await checkTree(app, db, companyId, { most: 10, storedNote }),
    newest: await newestCheckpoint(db, companyId),
    fault: await findEdgeFault(app, db, companyId, storedNote),
  }))
  const [first] = broken
  if (first === undefined) {
    clearLogAlarm(app, companyId)
    return newest?.note ?? null
  }
  const detail = `tree, checkpoints or stray entries: ${broken.join(', ')}`
  const places = { from: 0, to: Math.min(first, newest?.size ?? first) + 1 }
  raiseLogAlarm(app, companyId, fault ?? new ChangedLogError('ROOT_DIFFERS', detail, places))
  return null
}

/** What keeps the log from being signed, which says more of what was changed than a list of what is broken. */
async function findEdgeFault(
  app: AppContext,
  db: Handle,
  companyId: number,
  storedNote: string | undefined,
): Promise<ChangedLogError | null> {
  try {
    const { edge } = await checkSignedEdge(app, db, companyId, { storedNote, maxEntries: 0 })
    checkWaiting(app, companyId, { size: edge.size, entries: await pendingEntries(db, companyId, 1_000) })
    return null
  } catch (error) {
    if (error instanceof ChangedLogError) return error
    throw error
  }
}
