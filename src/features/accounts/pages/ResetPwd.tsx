import { type FormEvent, useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { isOffline, getFieldProblems, type Problem } from '#contract/problem.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { readLinkKey } from '#features/accounts/activation.ts'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useLinkKey } from '#features/accounts/components/useLinkKey.ts'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import {
  checkLink,
  keyMissing,
  recoveryOpened,
  resetPassword,
  selectRecoveryStatus,
} from '#features/accounts/password-recovery.ts'

/** How long the success may be read before the login comes by itself (portal 8), ms. */
const redirectDelayMs = 5000

/** A new password by the link of the mail (portal 2). */
export function ResetPwd() {
  const { link: otk, forget } = useLinkKey(readLinkKey)
  const dispatch = useDispatch()
  const status = useSelector(selectRecoveryStatus)
  useEffect(() => {
    dispatch(otk === '' ? keyMissing() : recoveryOpened())
    if (otk !== '') void dispatch(checkLink(otk))
  }, [otk, dispatch])

  const problem = status.kind === 'failed' ? status.problem : null
  const isUsedUp = problem?.code === 'INVALID_RESETPWD_LINK'
  const isLinkUsed = status.kind === 'done' || isUsedUp
  useEffect(() => {
    if (isLinkUsed) forget()
  }, [isLinkUsed, forget])
  if (status.kind === 'done') return <PasswordResetDone />
  if (isUsedUp) return <UsedLinkNote problem={problem} />
  return <ChoosePassword otk={otk} problem={problem} isSending={status.kind === 'sending'} />
}

function ChoosePassword({ otk, problem, isSending }: { otk: string; problem: Problem | null; isSending: boolean }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const { formValues, problems, formRef, getFieldProps, showProblems } = useSmallForm({ pwd: '', confirm: '' })
  // What the server finds wrong with the password stands beside it, like what is found here.
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
      void dispatch(resetPassword(otk, formValues.pwd))
  }
  const weakPasswordMessage = problem?.code === 'WEAK_PASSWORD' ? formatProblem(problem) : null
  const password = getFieldProps('pwd', t('resetPwd.password'))
  return (
    <AccountCard title={t('resetPwd.title')} intro={t('resetPwd.text')}>
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        {isOffline(problem) || (connection !== 'online' && !problem) ? (
          <Note kind="pending">{t('resetPwd.offline')}</Note>
        ) : (
          <ProblemNote
            problem={weakPasswordMessage || problems.length > 0 ? null : problem}
            title={t('resetPwd.failed')}
          />
        )}
        <NewPassword
          password={{ ...password, error: password.error ?? weakPasswordMessage }}
          confirm={getFieldProps('confirm', t('password.confirm'))}
          personalValues={[]}
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
