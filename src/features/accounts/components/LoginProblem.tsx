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
  problem: Problem | null
  credentials: LoginCredentials
}

export function LoginProblem({ problem, credentials }: LoginProblemProps) {
  const { t } = useTranslation('accounts')
  const { networkState } = useConnection()
  if (problem ? isOffline(problem) : networkState !== 'online') return <Note kind="pending">{t('login.offline')}</Note>
  if (problem?.code === 'USER_STATUS_DEACTIVATED')
    return <NotActivatedNote problem={problem} credentials={credentials} />
  const waitSeconds = getRetrySeconds(problem)
  return (
    // A wrong password needs no support, so its problem shows no request number.
    <ProblemNote problem={problem?.code === 'invalid_grant' ? { ...problem, requestId: null } : problem}>
      {/* Announced once to screen readers. The countdown in the button's disabled reason is not announced. */}
      {waitSeconds !== null && <p>{formatRetryDelay(t, waitSeconds)}</p>}
    </ProblemNote>
  )
}

/** After a login to an account that was never activated, offers to send the activation mail again (portal 4). */
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
