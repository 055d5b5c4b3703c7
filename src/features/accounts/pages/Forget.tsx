import { isOffline } from '#contract/problem.ts'
import { type FormEvent, useEffect } from 'react'
import { checkForgotten } from '#domain/accounts/passwords.ts'
import { tidyCode } from '#domain/text.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Field } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { useWait } from '#features/accounts/components/useCountdown.ts'
import { forget, recoveryOpened, selectRecovering } from '#features/accounts/password-recovery.ts'

/** Company code and e-mail, and a mail if there is such a user (portal 2, 5). */
export function Forget() {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const status = useSelector(selectRecovering)
  const { typed, form, field, refuse } = useSmallForm({ companyCode: '', userEmail: '' })
  const { line } = useConnection()
  const problem = status.kind === 'failed' ? status.problem : null
  const wait = useWait(problem)
  useEffect(() => void dispatch(recoveryOpened()), [dispatch])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (refuse(checkForgotten(typed)) && status.kind !== 'sending')
      void dispatch(forget(typed.companyCode, typed.userEmail))
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
      <form className="form" ref={form} noValidate onSubmit={submit}>
        {isOffline(problem) || (line !== 'online' && !problem) ? (
          <Note kind="pending">{t('forget.offline')}</Note>
        ) : (
          <ProblemNote problem={problem} />
        )}
        <Field
          {...tidyOnLeave(field('companyCode', t('forget.company')), tidyCode)}
          autoComplete="organization"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="next"
          maxLength={20}
        />
        <Field
          {...tidyOnLeave(field('userEmail', t('forget.email')), tidyCode)}
          type="email"
          autoComplete="username"
          enterKeyHint="go"
          maxLength={254}
        />
        <Button kind="primary" type="submit" busy={status.kind === 'sending'} whyNot={wait}>
          {status.kind === 'sending' ? t('forget.sending') : t('forget.submit')}
        </Button>
        <ButtonLink to="/login">{t('backToLogin')}</ButtonLink>
      </form>
    </AccountCard>
  )
}
