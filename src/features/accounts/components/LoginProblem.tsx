import { isOffline, type Problem, getRetrySeconds } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import type { LoginCredentials } from '#state/store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Note } from '#features/accounts/components/Note.tsx'
import { resendMail, selectAccounts } from '#features/accounts/slice.ts'
import { toRetryDelay } from '#features/accounts/retry-after.ts'

/** What the login was refused with, and the way out of it where there is one. */
export function LoginProblem({ problem, credentials }: { problem: Problem; credentials: LoginCredentials }) {
  const { t } = useTranslation('accounts')
  const waitSeconds = getRetrySeconds(problem)
  if (isOffline(problem)) return <Note kind="pending">{t('login.offline')}</Note>
  if (problem.code === 'USER_STATUS_DEACTIVATED')
    return <NotActivatedNote problem={problem} credentials={credentials} />
  // A wrong password is the user's to mend: there is nothing in it to ask us about.
  if (problem.code === 'invalid_grant') return <ProblemNote problem={{ ...problem, requestId: null }} />
  if (waitSeconds === null) return <ProblemNote problem={problem} />
  // Said once, whole: the button's own reason counts down without being read out each second.
  const { unit, count } = toRetryDelay(waitSeconds)
  return (
    <ProblemNote problem={problem}>
      <p>{t(`login.wait${unit}`, { count })}</p>
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
