import { type FormEvent, useEffect } from 'react'
import { getFieldProblems } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { FormProblem } from '#features/accounts/components/FormProblem.tsx'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { checkPasswords, isWeakPassword, type NewPasswords } from '#features/accounts/passwords.ts'
import { activate, selectActivation } from '#features/accounts/activation-slice.ts'

const emptyPasswords: NewPasswords = { password: '', confirm: '' }

export function SetPassword({ otk, shouldSetPassword }: { otk: string; shouldSetPassword: boolean }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { activationStatus } = useSelector(selectActivation)
  const problem = getStatusProblem(activationStatus)
  const { formValues, problems, formRef, getFieldProps, showProblems } = useSmallForm(emptyPasswords)

  // A password problem of the server is shown at the field, like a problem found by the page.
  useEffect(() => {
    if (problem) showProblems(getFieldProblems(problem))
  }, [problem, showProblems])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (showProblems(shouldSetPassword ? checkPasswords(formValues) : []) && activationStatus.kind !== 'sending')
      void dispatch(activate(otk, shouldSetPassword ? formValues.password : null))
  }
  const isSending = activationStatus.kind === 'sending'
  const submitLabel = shouldSetPassword ? t('activate.submit') : t('activate.confirmSubmit')

  return (
    <AccountCard
      title={shouldSetPassword ? t('activate.setTitle') : t('activate.title')}
      intro={shouldSetPassword ? t('activate.setText') : t('activate.confirmText')}
    >
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        <FormProblem
          problem={problem}
          offlineText={t('activate.offline')}
          isAtField={isWeakPassword(problem) || problems.length > 0}
        />
        {shouldSetPassword && (
          <NewPassword
            password={getFieldProps('password', t('activate.password'))}
            confirm={getFieldProps('confirm', t('activate.confirm'))}
            problem={problem}
          />
        )}
        <Button kind="primary" type="submit" isBusy={isSending}>
          {isSending ? t('activate.sending') : submitLabel}
        </Button>
      </form>
    </AccountCard>
  )
}
