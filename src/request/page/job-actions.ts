import { resumePolling, dismissJob, markSeen } from '#local/jobs/job-store.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { JobActions } from '#request/call-results.ts'
import { type CurrentSession, readCurrentSession } from '#request/session/current-session.ts'

export const createJobActions = (ports: PipelinePorts): JobActions => {
  const changeJobs = async (action: (session: CurrentSession) => Promise<void>) => {
    const session = await readCurrentSession(ports)
    if (session) await action(session)
  }
  return {
    retry: (intent) => changeJobs(({ db }) => resumePolling(db, intent, ports.clock())),
    dismiss: (intent) => changeJobs(({ db }) => dismissJob(db, intent)),
    markSeen: (intents) => changeJobs(({ db }) => markSeen(db, intents)),
  }
}
