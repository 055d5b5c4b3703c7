import { type FormEvent, useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { createLocalProblem, getFieldProblems, type Problem } from '#contract/problem.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'
import { useAction } from '#state/use-action.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { readLinkKey } from '#features/accounts/activation.ts'
import { FormProblem } from '#features/accounts/components/FormProblem.tsx'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useLinkKey } from '#features/accounts/components/useLinkKey.ts'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { badLinkCode, checkLink, resetPassword } from '#features/accounts/password-recovery.ts'
import { isWeakPassword } from '#features/accounts/passwords.ts'

/** Time between the success message and the redirect to the login (portal 8), ms. */
const redirectDelayMs = 5000

/** Sets a new password with the link from the mail (portal 2). */
export function ResetPwd() {
  const { link: otk, forget } = useLinkKey(readLinkKey)
  const dispatch = useDispatch()
  const { run, isBusy, problem: resetProblem } = useAction(resetPassword)
  const [isDone, setDone] = useState(false)
  const [linkProblem, setLinkProblem] = useState(otk === '' ? createLocalProblem(badLinkCode) : null)
  useEffect(() => {
    if (otk !== '') void dispatch(checkLink(otk)).then(setLinkProblem)
  }, [otk, dispatch])

  const problem = linkProblem ?? resetProblem
  const isUsedUp = problem?.code === badLinkCode
  const isLinkUsed = isDone || isUsedUp
  useEffect(() => {
    if (isLinkUsed) forget()
  }, [isLinkUsed, forget])
  if (isDone) return <PasswordResetDone />
  if (isUsedUp) return <UsedLinkNote problem={problem} />
  const reset = async (pwd: string) => {
    const result = await run({ otk, pwd })
    setDone(result.kind !== 'problem')
  }
  return <ChoosePassword problem={problem} isSending={isBusy} onSubmit={(pwd) => void reset(pwd)} />
}

interface ChoosePasswordProps {
  problem: Problem | null
  isSending: boolean
  onSubmit: (password: string) => void
}

function ChoosePassword({ problem, isSending, onSubmit }: ChoosePasswordProps) {
  const { t } = useTranslation('visitors')
  const { networkState } = useConnection()
  const { formValues, problems, formRef, getFieldProps, showProblems } = useSmallForm({ pwd: '', confirm: '' })
  // A password problem of the server is shown at the field, like a problem found by the page.
  useEffect(() => {
    if (problem) showProblems(getFieldProblems(problem))
  }, [problem, showProblems])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const passwordProblems = [
      checkPassword('pwd', formValues.pwd),
      checkConfirmation('confirm', formValues.confirm, formValues.pwd),
    ]
    if (showProblems(passwordProblems.filter((passwordProblem) => passwordProblem !== null)) && !isSending)
      onSubmit(formValues.pwd)
  }
  return (
    <AccountCard title={t('resetPwd.title')} intro={t('resetPwd.text')}>
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        <FormProblem
          problem={problem}
          offlineText={t('resetPwd.offline')}
          isConnectionLost={networkState !== 'online'}
          isAtField={isWeakPassword(problem) || problems.length > 0}
          title={t('resetPwd.failed')}
        />
        <NewPassword
          password={getFieldProps('pwd', t('resetPwd.password'))}
          confirm={getFieldProps('confirm', t('password.confirm'))}
          problem={problem}
        />
        <Button kind="primary" type="submit" isBusy={isSending}>
          {isSending ? t('resetPwd.sending') : t('resetPwd.submit')}
        </Button>
      </form>
    </AccountCard>
  )
}

function PasswordResetDone() {
  const { t } = useTranslation('visitors')
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate('/login', { replace: true }), redirectDelayMs)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <AccountCard title={t('resetPwd.title')}>
      <Note kind="good">{t('resetPwd.done')}</Note>
      <p>{t('resetPwd.doneText')}</p>
      <ButtonLink kind="primary" to="/login">
        {t('toLogin')}
      </ButtonLink>
    </AccountCard>
  )
}

function UsedLinkNote({ problem }: { problem: Problem }) {
  const { t } = useTranslation('visitors')
  return (
    <AccountCard title={t('resetPwd.title')}>
      <ProblemNote problem={problem} title={t('resetPwd.failed')} />
      <p>{t('resetPwd.usedUp')}</p>
      <ButtonLink kind="primary" to="/forget">
        {t('resetPwd.again')}
      </ButtonLink>
    </AccountCard>
  )
}
