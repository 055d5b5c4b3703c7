import { verifyTrail } from '#contract/audit-trail.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'

export interface JobChange {
  change: 'retry' | 'dismiss'
  intent: Intent
}

const changeJob =
  ({ change, intent }: JobChange): AppThunk<CallResult<null>> =>
  async (_dispatch, _getState, { jobActions }) => {
    await jobActions[change](intent)
    return { kind: 'fresh', output: null }
  }

/** What can be done in the list of long requests. The problem is that of the last of them. */
export function useJobActions() {
  const verification = useAction(verifyTrail)
  const jobChange = useAction(changeJob)
  return {
    isVerifying: verification.isBusy,
    problem: verification.problem ?? jobChange.problem,
    /** Its progress and its result are in the list, however long it takes. */
    async verify() {
      jobChange.clearProblem()
      await verification.run({ body: { companyId: null } }, { until: 'started' })
    },
    async changeJob(change: JobChange) {
      verification.clearProblem()
      await jobChange.run(change)
    },
  }
}
