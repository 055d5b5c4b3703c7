import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { signedIn } from '#state/session-slice.ts'
import type { LoginSecondFactor } from '#state/store.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'
import { resetLogin } from '#features/accounts/slice.ts'

/** Completes the sign-in with a second factor. If the first factor was just set up, the token in `proof` is enough. */
export const signInWithFactor =
  (proof: LoginSecondFactor): AppThunk<CallResult<unknown>> =>
  async (dispatch, _, { signIn }) => {
    const result = await catchUnreachable(async () => signIn({ ...proof, language: getLanguage() }))
    if (result.kind === 'fresh') {
      dispatch(resetLogin())
      dispatch(signedIn(result.output.user))
    }
    return result
  }
