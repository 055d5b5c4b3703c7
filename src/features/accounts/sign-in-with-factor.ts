import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { signedIn } from '#state/session-slice.ts'
import type { LoginSecondFactor } from '#state/store.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import { catchUnreachable } from '#features/accounts/retry-after.ts'
import { resetLogin } from '#features/accounts/slice.ts'

/** Second step of the sign-in. If the first factor was set up just now, the token alone is enough. */
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
