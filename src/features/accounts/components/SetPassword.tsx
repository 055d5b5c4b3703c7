import { type FormEvent, useEffect } from 'react'
import { isOffline, fieldProblems } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { checkPasswords, type Passwords } from '#features/accounts/passwords.ts'
import { activate, selectAccounts } from '#features/accounts/slice.ts'

const empty: Passwords = { password: '', confirm: '' }

/** The link works; where the account has no password yet, it is set here. */
export function SetPassword({ otk, setsPassword }: { otk: string; setsPassword: boolean }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { activation } = useSelector(selectAccounts)
  const problem = problemOf(activation)
  const { typed, problems, form, field, refuse } = useSmallForm(empty)

  // What the server finds wrong with the password stands beside it, like what is found here.
  useEffect(() => {
    if (problem) refuse(fieldProblems(problem))
  }, [problem, refuse])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (refuse(setsPassword ? checkPasswords(typed) : []) && activation.kind !== 'sending')
      void dispatch(activate(otk, setsPassword ? typed.password : null))
  }
  const weak = problem?.code === 'WEAK_PASSWORD' ? problemWords(problem) : null
  const password = field('password', t('activate.password'))

  return (
    <AccountCard
      title={setsPassword ? t('activate.setTitle') : t('activate.title')}
      intro={setsPassword ? t('activate.setText') : t('activate.confirmText')}
    >
      <form className="form" ref={form} noValidate onSubmit={submit}>
        {isOffline(problem) ? (
          <Note kind="pending">{t('activate.offline')}</Note>
        ) : (
          <ProblemNote problem={weak || problems.length > 0 ? null : problem} />
        )}
        {setsPassword && (
          <NewPassword
            password={{ ...password, error: password.error ?? weak }}
            confirm={field('confirm', t('activate.confirm'))}
            own={[]}
          />
        )}
        <Button kind="primary" type="submit" busy={activation.kind === 'sending'}>
          {activation.kind === 'sending'
            ? t('activate.sending')
            : setsPassword
              ? t('activate.submit')
              : t('activate.confirmSubmit')}
        </Button>
      </form>
    </AccountCard>
  )
}
