/** Proves a backup by putting it into an empty place; how it went stands in its row, and a failure is told as one of backups is. */
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { endRestore } from '#server/db/hosting/restores.ts'
import { newestBackup, storedNow, updateStored } from '#server/db/hosting/stored-backups.ts'
import type { JobKind, Work } from '#server/jobs/job-kind.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { drill, type DrillInput } from '#server/use-cases/hosting/backups/drill.ts'
import { noteFailing } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { faultIn, faultOf } from '#server/use-cases/hosting/backups/faults.ts'

type Drilling = Work<DrillInput, never>

export const drillBackup = (): JobKind<DrillInput, never, null> => ({
  // What a kill leaves is cleared by the next one.
  resumes: true,
  quiet: true,
  settle,
  async step({ app, input }) {
    try {
      const backup = await drill(app, input)
      if (backup) announceServices(app, backup.company_id)
      return { kind: 'done', output: null }
    } catch (error) {
      const fault = faultOf(error)
      if (fault === null) throw error
      app.log.warn({ err: error, backup: input.backupId, fault }, 'a restore drill failed')
      // Who does not answer is asked again.
      if (fault === 'unreachable') throw error
      throw new ProblemError('STATE_CONFLICT', { why: fault })
    }
  },
})

async function settle(db: Handle, { app, input }: Drilling, problem: ProblemError | null): Promise<null> {
  const now = app.clock()
  const backup = await storedNow(db, input.backupId)
  const fault = problem && faultIn(problem)
  await endRestore(db, input.restoreId, fault, now)
  if (backup?.state !== 'done') return null
  const { service_id: serviceId, pdb_type: type } = backup
  await takeChange(db, backup.company_id)
  if (fault === null) await updateStored(db, backup, { drilled: now }, now)
  else await noteFailing(db, { serviceId, type, fault }, now)
  // A good one ends the warning that a bad one gave, unless the newest backup failed too.
  if (fault === null && (await newestBackup(db, serviceId, type, 'ended'))?.state !== 'failed')
    await noteFailing(db, { serviceId, type, fault: null }, now)
  return null
}
