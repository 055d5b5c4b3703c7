import { type FormEvent, useState } from 'react'
import { checkForgottenPassword } from '#domain/accounts/passwords.ts'
import { cleanCode } from '#domain/text.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { FormProblem } from '#features/accounts/components/FormProblem.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { sendResetMail } from '#features/accounts/password-recovery.ts'

/** Takes the company code and e-mail, and sends a mail if the user exists (portal 2, 5). */
export function ForgotPassword() {
  const { t } = useTranslation('visitors')
  const { run, isBusy, problem } = useAction(sendResetMail)
  const [isSent, setSent] = useState(false)
  const { formValues, formRef, getFieldProps, showProblems } = useSmallForm({ companyCode: '', userEmail: '' })
  const { networkState } = useConnection()
  const waitReason = useCountdown(problem)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!showProblems(checkForgottenPassword(formValues)) || isBusy) return
    const result = await run(formValues)
    setSent(result.kind !== 'problem')
  }
  if (isSent)
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
      <form className="form" ref={formRef} noValidate onSubmit={(event) => void submit(event)}>
        <FormProblem problem={problem} offlineText={t('forget.offline')} isConnectionLost={networkState !== 'online'} />
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
        <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={waitReason}>
          {isBusy ? t('forget.sending') : t('forget.submit')}
        </Button>
        <ButtonLink to="/login">{t('backToLogin')}</ButtonLink>
      </form>
    </AccountCard>
  )
}
