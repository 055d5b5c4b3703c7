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

/** Actions for the list of long requests. `problem` belongs to the latest action. */
export function useJobActions() {
  const verification = useAction(verifyTrail)
  const jobChange = useAction(changeJob)
  return {
    isVerifying: verification.isBusy,
    problem: verification.problem ?? jobChange.problem,
    /** Starts a verification. Resolves when the job has started; its progress and result appear in the list. */
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
