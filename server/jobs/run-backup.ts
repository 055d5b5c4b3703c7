/** Backs a service up: all of it in one step, which a kill makes begin again, and its end in the row of the backup. */
import { setTimeout as wait } from 'node:timers/promises'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { serviceForUpdate } from '#server/db/hosting/services.ts'
import { setNextRun } from '#server/db/hosting/planned-runs.ts'
import { type StoredBackup, storedNow, updateStored } from '#server/db/hosting/stored-backups.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { StoredBackupRow } from '#contract/backups.ts'
import type { JobKind, Step, Work } from '#server/jobs/job-kind.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { BackupInput } from '#server/use-cases/hosting/backups/begin-backup.ts'
import { noteFailing } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { faultIn, faultOf } from '#server/use-cases/hosting/backups/faults.ts'
import { type Made, makeBackup } from '#server/use-cases/hosting/backups/make-backup.ts'
import { progressTeller } from '#server/use-cases/hosting/backups/progress-teller.ts'
import { storedRowOf } from '#server/use-cases/hosting/backups/stored-rows.ts'

export interface BackupPoint {
  /** Tries that met nobody. */
  tries: number
  made: Made | null
}

/** How long to wait before what did not answer is asked again; ms. An hour later the clock tries what it has asked for. */
export const retries = { waits: [2_000, 10_000, 30_000], clockMs: 3_600_000 }

type Backing = Work<BackupInput, BackupPoint>

export const runBackup = ({ quiet }: { quiet: boolean }): JobKind<BackupInput, BackupPoint, unknown> => ({
  resumes: true,
  ...(quiet && { quiet: true as const }),
  step,
  settle,
  ended: ({ app, input }) => announceServices(app, input.companyId),
})

async function step({ app, input, point, tell }: Backing): Promise<Step<BackupPoint, unknown>> {
  if (point?.made) return { kind: 'done', output: null }
  const tries = point?.tries ?? 0
  try {
    const made = await makeBackup(app, input.backupId, progressTeller(tell))
    return { kind: 'on', point: { tries, made }, percent: 95 }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    app.log.warn({ err: error, backup: input.backupId, fault }, 'a backup failed')
    const waitMs = retries.waits[tries]
    if (fault !== 'unreachable' || waitMs === undefined) throw new ProblemError('STATE_CONFLICT', { why: fault })
    await wait(waitMs)
    return { kind: 'on', point: { tries: tries + 1, made: null }, percent: 1 }
  }
}

async function settle(db: Handle, work: Backing, problem: ProblemError | null): Promise<StoredBackupRow | null> {
  const { app, input } = work
  const backup = await storedNow(db, input.backupId)
  // Somebody has given it up meanwhile: what it stored goes.
  if (backup?.state !== 'running') return backup && storedRowOf(app, backup, input.toProvider)
  const now = app.clock()
  // Before the service's row and its counter, in the order in which all take them.
  await takeChange(db, backup.company_id)
  const service = await serviceForUpdate(db, backup.service_id)
  const isThere = service !== null && (service.system_status !== 0 || service.erase_date !== null)
  const made = isThere && problem === null ? (work.point?.made ?? null) : null
  const ended = made ? await finish(db, backup, made, now) : await fail(db, app, { backup, input, isThere }, problem)
  return ended && storedRowOf(app, ended, input.toProvider)
}

async function finish(db: Handle, backup: StoredBackup, made: Made, now: number): Promise<StoredBackup | null> {
  const ended = await updateStored(db, backup, { ...made, state: 'done', end_time: now }, now)
  await noteFailing(db, { serviceId: backup.service_id, type: backup.pdb_type, fault: null }, now)
  return ended
}

interface Failed {
  backup: StoredBackup
  input: BackupInput
  /** Whether the service has its data still. */
  isThere: boolean
}

async function fail(
  db: Handle,
  app: AppContext,
  { backup, input, isThere }: Failed,
  problem: ProblemError | null,
): Promise<StoredBackup | null> {
  const now = app.clock()
  const { service_id: serviceId, pdb_type: type } = backup
  const fault = problem && isThere ? faultIn(problem) : 'no_instance'
  const ended = await updateStored(db, backup, { state: 'failed', fault, end_time: now }, now)
  const { userId, userCompanyId, requestId, intent, trail } = input
  const head = { companyId: userCompanyId, userId: userId || null, now, status: -1, intent, requestId } as const
  const { info, ...log } = trail
  await addToTrail(db, head, [{ code: 'backup', operation: 'backup', info: { ...info, problem: fault }, ...log }])
  // What was deleted meanwhile is missed by nobody.
  if (!isThere) return ended
  if (backup.cause === 'schedule') await setNextRun(db, serviceId, type, now + retries.clockMs)
  await noteFailing(db, { serviceId, type, fault }, now)
  return ended
}
