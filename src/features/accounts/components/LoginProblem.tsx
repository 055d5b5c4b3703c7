import { isOffline, type Problem, getRetrySeconds } from '#contract/problem.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import type { LoginCredentials } from '#state/store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Note } from '#features/accounts/components/Note.tsx'
import { resendMail, selectAccounts } from '#features/accounts/slice.ts'
import { formatRetryDelay } from '#features/accounts/components/useCountdown.ts'

interface LoginProblemProps {
  /** Null: nothing was sent yet. */
  problem: Problem | null
  credentials: LoginCredentials
}

/** Why the login was refused or cannot be sent, and what to do about it. */
export function LoginProblem({ problem, credentials }: LoginProblemProps) {
  const { t } = useTranslation('accounts')
  const { networkState } = useConnection()
  if (problem ? isOffline(problem) : networkState !== 'online') return <Note kind="pending">{t('login.offline')}</Note>
  if (problem?.code === 'USER_STATUS_DEACTIVATED')
    return <NotActivatedNote problem={problem} credentials={credentials} />
  const waitSeconds = getRetrySeconds(problem)
  return (
    // Nobody needs help with a wrong password, so its problem has no number.
    <ProblemNote problem={problem?.code === 'invalid_grant' ? { ...problem, requestId: null } : problem}>
      {/* Read out once; the button's own reason counts down silently. */}
      {waitSeconds !== null && <p>{formatRetryDelay(t, waitSeconds)}</p>}
    </ProblemNote>
  )
}

/** portal 4: the login of an account that was never activated offers the mail again. */
function NotActivatedNote({ problem, credentials }: { problem: Problem; credentials: LoginCredentials }) {
  const { t } = useTranslation('accounts')
  const dispatch = useDispatch()
  const { resendStatus } = useSelector(selectAccounts)
  if (resendStatus.kind === 'sent') return <Note kind="good">{t('resend.sent', { email: resendStatus.email })}</Note>
  const resendProblem = getStatusProblem(resendStatus)
  return (
    <>
      <ProblemNote problem={{ ...problem, requestId: null }}>
        <p>{t('resend.offer')}</p>
        <Button
          icon="mail"
          isBusy={resendStatus.kind === 'sending'}
          onClick={() => void dispatch(resendMail(credentials))}
        >
          {resendStatus.kind === 'sending' ? t('resend.sending') : t('resend.submit')}
        </Button>
      </ProblemNote>
      <ProblemNote problem={resendProblem} />
    </>
  )
}
