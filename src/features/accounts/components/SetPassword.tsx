import { type FormEvent, useEffect, useRef, useState } from 'react'
import { fieldProblems } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks.ts'
import { passwordLength } from '#domain/passwords.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/status.ts'
import { Button } from '#ui/Button.tsx'
import { PasswordField } from '#ui/Field.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { fieldWords, problemWords, useWords } from '#ui/words.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { checkPasswords, type Passwords } from '#features/accounts/passwords.ts'
import { activate, selectAccounts } from '#features/accounts/slice.ts'
import { isOffline } from '#features/accounts/waits.ts'

const empty: Passwords = { password: '', confirm: '' }

/** The link works; where the account has no password yet, it is set here. */
export function SetPassword({ otk, setsPassword }: { otk: string; setsPassword: boolean }) {
  const t = useWords('accounts')
  const dispatch = useDispatch()
  const { activation } = useSelector(selectAccounts)
  const problem = problemOf(activation)
  const [typed, setTyped] = useState(empty)
  const [problems, setProblems] = useState<FieldProblem[]>([])
  const form = useRef<HTMLFormElement>(null)

  // What the server finds wrong with the password stands beside it, like what is found here.
  useEffect(() => {
    if (problem) setProblems(fieldProblems(problem))
  }, [problem])
  useEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [problems])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = setsPassword ? checkPasswords(typed) : []
    setProblems(found)
    if (found.length === 0 && activation.is !== 'sending')
      void dispatch(activate(otk, setsPassword ? typed.password : null))
  }
  const weak = problem?.code === 'WEAK_PASSWORD' ? problemWords(problem) : null
  const field = (name: keyof Passwords, label: string) => {
    const found = problems.find((one) => one.field === name)
    return {
      name,
      label,
      value: typed[name],
      autoComplete: 'new-password',
      error: found ? fieldWords(found, label) : null,
      onChange: (event: { target: { value: string } }) => {
        setTyped({ ...typed, [name]: event.target.value })
        setProblems(problems.filter((one) => one.field !== name))
      },
    }
  }
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
          <>
            <PasswordField
              {...password}
              error={password.error ?? weak}
              help={t('activate.passwordHelp', passwordLength)}
              enterKeyHint="next"
            />
            <PasswordField {...field('confirm', t('activate.confirm'))} enterKeyHint="go" />
          </>
        )}
        <Button kind="primary" type="submit" busy={activation.is === 'sending'}>
          {activation.is === 'sending'
            ? t('activate.sending')
            : setsPassword
              ? t('activate.submit')
              : t('activate.confirmSubmit')}
        </Button>
      </form>
    </AccountCard>
  )
}
