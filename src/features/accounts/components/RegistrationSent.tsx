import type { SignupValues } from '#domain/accounts/signup.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Note } from '#features/accounts/components/Note.tsx'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { resendMail, selectAccounts } from '#features/accounts/slice.ts'

export function RegistrationSent({ values, onAnother }: { values: SignupValues; onAnother: () => void }) {
  const { t } = useTranslation('visitors')
  const { t: tAccounts } = useTranslation('accounts')
  const dispatch = useDispatch()
  const { resendStatus } = useSelector(selectAccounts)
  const problem = resendStatus.kind === 'failed' ? resendStatus.problem : null
  const waitReason = useCountdown(problem)
  const { code, user_email: email, user_password: password } = values
  return (
    <div className="form">
      <Note kind="good">{tAccounts('resend.sent', { email })}</Note>
      <p>{t('signup.sentText', { code: code.trim().toLowerCase() })}</p>
      <ProblemNote problem={problem} />
      {password === '' ? (
        // The password is not stored, so after a reload only the login page can send the mail again.
        <p>{t('signup.resendByLogin')}</p>
      ) : (
        <>
          {resendStatus.kind === 'sent' && resendStatus.email === email.trim() && (
            <p role="status">{t('signup.resent')}</p>
          )}
          <Button
            icon="mail"
            isBusy={resendStatus.kind === 'sending'}
            disabledReason={waitReason}
            onClick={() => void dispatch(resendMail({ company: code, username: email, password }))}
          >
            {resendStatus.kind === 'sending' ? tAccounts('resend.sending') : tAccounts('resend.submit')}
          </Button>
        </>
      )}
      <ButtonLink kind="primary" to="/login">
        {t('toLogin')}
      </ButtonLink>
      <Button kind="plain" onClick={onAnother}>
        {t('signup.another')}
      </Button>
    </div>
  )
}
