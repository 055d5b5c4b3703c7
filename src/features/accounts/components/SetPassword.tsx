import { type FormEvent, useEffect } from 'react'
import { isOffline, getFieldProblems } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { checkPasswords, type NewPasswords } from '#features/accounts/passwords.ts'
import { activate, selectAccounts } from '#features/accounts/slice.ts'

const emptyPasswords: NewPasswords = { password: '', confirm: '' }

/** The link works; where the account has no password yet, it is set here. */
export function SetPassword({ otk, shouldSetPassword }: { otk: string; shouldSetPassword: boolean }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { activationStatus } = useSelector(selectAccounts)
  const problem = getStatusProblem(activationStatus)
  const { formValues, problems, formRef, getFieldProps, showProblems } = useSmallForm(emptyPasswords)

  // What the server finds wrong with the password stands beside it, like what is found here.
  useEffect(() => {
    if (problem) showProblems(getFieldProblems(problem))
  }, [problem, showProblems])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (showProblems(shouldSetPassword ? checkPasswords(formValues) : []) && activationStatus.kind !== 'sending')
      void dispatch(activate(otk, shouldSetPassword ? formValues.password : null))
  }
  const weakPasswordMessage = problem?.code === 'WEAK_PASSWORD' ? formatProblem(problem) : null
  const password = getFieldProps('password', t('activate.password'))

  return (
    <AccountCard
      title={shouldSetPassword ? t('activate.setTitle') : t('activate.title')}
      intro={shouldSetPassword ? t('activate.setText') : t('activate.confirmText')}
    >
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        {isOffline(problem) ? (
          <Note kind="pending">{t('activate.offline')}</Note>
        ) : (
          <ProblemNote problem={weakPasswordMessage || problems.length > 0 ? null : problem} />
        )}
        {shouldSetPassword && (
          <NewPassword
            password={{ ...password, error: password.error ?? weakPasswordMessage }}
            confirm={getFieldProps('confirm', t('activate.confirm'))}
            personalValues={[]}
          />
        )}
        <Button kind="primary" type="submit" isBusy={activationStatus.kind === 'sending'}>
          {activationStatus.kind === 'sending'
            ? t('activate.sending')
            : shouldSetPassword
              ? t('activate.submit')
              : t('activate.confirmSubmit')}
        </Button>
      </form>
    </AccountCard>
  )
}
