import { type FormEvent, useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { isOffline, fieldProblems, type Problem } from '#contract/problem.ts'
import { checkConfirmed, checkPassword } from '#domain/accounts/passwords.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { keyIn } from '#features/accounts/activation.ts'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useTakenKey } from '#features/accounts/components/useTakenKey.ts'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import {
  checkLink,
  keyMissing,
  recoveryOpened,
  resetPassword,
  selectRecovering,
} from '#features/accounts/password-recovery.ts'

/** How long the success may be read before the login comes by itself (portal 8), ms. */
const READ_MS = 5000

/** A new password by the link of the mail (portal 2). */
export function ResetPwd() {
  const { opened: otk, forget } = useTakenKey(keyIn)
  const dispatch = useDispatch()
  const status = useSelector(selectRecovering)
  useEffect(() => {
    dispatch(otk === '' ? keyMissing() : recoveryOpened())
    if (otk !== '') void dispatch(checkLink(otk))
  }, [otk, dispatch])

  const problem = status.kind === 'failed' ? status.problem : null
  const isUsedUp = problem?.code === 'INVALID_RESETPWD_LINK'
  const isOver = status.kind === 'done' || isUsedUp
  useEffect(() => {
    if (isOver) forget()
  }, [isOver, forget])
  if (status.kind === 'done') return <Done />
  if (isUsedUp) return <UsedUp problem={problem} />
  return <Choose otk={otk} problem={problem} sending={status.kind === 'sending'} />
}

function Choose({ otk, problem, sending }: { otk: string; problem: Problem | null; sending: boolean }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const { typed, problems, form, field, refuse } = useSmallForm({ pwd: '', confirm: '' })
  // What the server finds wrong with the password stands beside it, like what is found here.
  useEffect(() => {
    if (problem) refuse(fieldProblems(problem))
  }, [problem, refuse])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = [checkPassword('pwd', typed.pwd), checkConfirmed('confirm', typed.confirm, typed.pwd)]
    if (refuse(wrong.filter((found) => found !== null)) && !sending) void dispatch(resetPassword(otk, typed.pwd))
  }
  const weak = problem?.code === 'WEAK_PASSWORD' ? problemWords(problem) : null
  const password = field('pwd', t('resetPwd.password'))
  return (
    <AccountCard title={t('resetPwd.title')} intro={t('resetPwd.text')}>
      <form className="form" ref={form} noValidate onSubmit={submit}>
        {isOffline(problem) || (line !== 'online' && !problem) ? (
          <Note kind="pending">{t('resetPwd.offline')}</Note>
        ) : (
          <ProblemNote problem={weak || problems.length > 0 ? null : problem} title={t('resetPwd.failed')} />
        )}
        <NewPassword
          password={{ ...password, error: password.error ?? weak }}
          confirm={field('confirm', t('password.confirm'))}
          own={[]}
        />
        <Button kind="primary" type="submit" busy={sending}>
          {sending ? t('resetPwd.sending') : t('resetPwd.submit')}
        </Button>
      </form>
    </AccountCard>
  )
}

function Done() {
  const { t } = useTranslation('visitors')
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate('/login', { replace: true }), READ_MS)
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

function UsedUp({ problem }: { problem: Problem }) {
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
