import { isOffline } from '#contract/problem.ts'
import { type FormEvent, useEffect } from 'react'
import { checkForgottenPassword } from '#domain/accounts/passwords.ts'
import { cleanCode } from '#domain/text.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { sendResetMail, recoveryOpened, selectRecoveryStatus } from '#features/accounts/password-recovery.ts'

/** Company code and e-mail, and a mail if there is such a user (portal 2, 5). */
export function ForgotPassword() {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const status = useSelector(selectRecoveryStatus)
  const { formValues, formRef, getFieldProps, showProblems } = useSmallForm({ companyCode: '', userEmail: '' })
  const { networkState: connection } = useConnection()
  const problem = status.kind === 'failed' ? status.problem : null
  const waitReason = useCountdown(problem)
  useEffect(() => void dispatch(recoveryOpened()), [dispatch])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (showProblems(checkForgottenPassword(formValues)) && status.kind !== 'sending')
      void dispatch(sendResetMail(formValues.companyCode, formValues.userEmail))
  }
  if (status.kind === 'done')
    return (
      <AccountCard title={t('forget.title')}>
        <Note kind="good">{t('forget.sent')}</Note>
        <p>{t('forget.sentText')}</p>
        <ButtonLink kind="primary" to="/login">
          {t('backToLogin')}
        </ButtonLink>
      </AccountCard>
    )
  return (
    <AccountCard title={t('forget.title')} intro={t('forget.text')}>
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        {isOffline(problem) || (connection !== 'online' && !problem) ? (
          <Note kind="pending">{t('forget.offline')}</Note>
        ) : (
          <ProblemNote problem={problem} />
        )}
        <Field
          {...normaliseOnBlur(getFieldProps('companyCode', t('forget.company')), cleanCode)}
          autoComplete="organization"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="next"
          maxLength={20}
        />
        <Field
          {...normaliseOnBlur(getFieldProps('userEmail', t('forget.email')), cleanCode)}
          type="email"
          autoComplete="username"
          enterKeyHint="go"
          maxLength={254}
        />
        <Button kind="primary" type="submit" isBusy={status.kind === 'sending'} disabledReason={waitReason}>
          {status.kind === 'sending' ? t('forget.sending') : t('forget.submit')}
        </Button>
        <ButtonLink to="/login">{t('backToLogin')}</ButtonLink>
      </form>
    </AccountCard>
  )
}
