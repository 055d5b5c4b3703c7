/** Calls that recover a forgotten password. Their endpoints import the schemas, so they are loaded on first use. */
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'

const loadEndpoints = () => import('#contract/public.ts')

/** Returns the same result whether or not the user exists (S-32). */
export const sendResetMail =
  ({ companyCode, userEmail }: { companyCode: string; userEmail: string }): AppThunk<CallResult<null>> =>
  async (dispatch) => {
    const body = { companyCode: companyCode.trim(), userEmail: userEmail.trim() }
    return await dispatch(callEndpoint((await loadEndpoints()).sendResetMail, { body }))
  }

export const badLinkCode = 'INVALID_RESETPWD_LINK'

/** Returns the problem of a link that no longer works, or null. Null does not prove that the link works. */
export const checkLink =
  (otk: string): AppThunk<Problem | null> =>
  async (dispatch) => {
    const result = await catchUnreachable(async () =>
      dispatch(callEndpoint((await loadEndpoints()).checkReset, { query: { otk } })),
    )
    return result.kind === 'problem' && result.problem.code === badLinkCode ? result.problem : null
  }

export const resetPassword =
  (body: { otk: string; pwd: string }): AppThunk<CallResult<unknown>> =>
  async (dispatch) =>
    dispatch(callEndpoint((await loadEndpoints()).resetPassword, { body }))
