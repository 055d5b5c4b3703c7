/** What a page may do with a listed job: ask again, dismiss it, mark it seen. */
import { askAgain, dismissJob, markSeen } from '#local/jobs/job-store.ts'
import type { Ports } from '#request/ports.ts'
import type { JobActions } from '#request/results.ts'
import { type CurrentSession, currentSession } from '#request/session/current-session.ts'

/** What the screen may do with the rows. */
export const jobsOf = (ports: Ports): JobActions => {
  const change = async (act: (desk: CurrentSession) => Promise<void>) => {
    const desk = await currentSession(ports)
    if (desk) await act(desk)
  }
  return {
    again: (intent) => change(({ db }) => askAgain(db, intent, ports.clock())),
    dismiss: (intent) => change(({ db }) => dismissJob(db, intent)),
    seen: (intents) => change(({ db }) => markSeen(db, intents)),
  }
}
