/** The login form. It is the first page that a user loads, so it stays small: native fields, no PrimeReact, no database. */
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router-dom'
import { unsentCountCookie } from '#contract/cookies.ts'
import { checkFields, checkRequired } from '#domain/checks/field-checks.ts'
import { cleanCode } from '#domain/text.ts'
import type { LoginCredentials } from '#state/store.ts'
import { useDispatch, useSelector, useSession } from '#state/use-store.ts'
import { forgetCompany, readRememberedCompany } from '#features/accounts/remembered-company.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, PasswordField } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { LoginProblem } from '#features/accounts/components/LoginProblem.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { type GetFieldProps, useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { toReturnPath } from '#features/accounts/return-to.ts'
import { login, resetLogin, selectAccounts } from '#features/accounts/slice.ts'

// Loaded on demand: only users who have a second factor, or must set one up, need it.
const SecondStep = lazy(async () => ({
  default: (await import(/* chunk: online */ '#features/accounts/components/SecondStep.tsx')).SecondStep,
}))

/** Loaded on demand: it imports the device database, and the form does not wait for it. */
const UnsentWritesNote = lazy(async () => ({
  default: (await import('#features/accounts/components/UnsentWritesNote.tsx')).UnsentWritesNote,
}))

const emptyCredentials: LoginCredentials = { company: '', username: '', password: '' }
const rules = { company: [checkRequired], username: [checkRequired], password: [checkRequired] }

export function Login() {
  const { t } = useTranslation('accounts')
  const dispatch = useDispatch()
  const [query] = useSearchParams()
  const session = useSession()
  const endedSession = getEndedSession(session)
  const { loginStatus: status } = useSelector(selectAccounts)
  const problem = getStatusProblem(status)
  const previousLogin = endedSession?.previousUser
  const [rememberedCompany, setRememberedCompany] = useState(readRememberedCompany)
  const { formValues, changeFields, formRef, getFieldProps, showProblems } = useSmallForm<LoginCredentials>({
    ...emptyCredentials,
    company: rememberedCompany ?? '',
    ...(previousLogin && { company: previousLogin.company, username: previousLogin.username }),
  })
  const waitReason = useCountdown(problem)

  useEffect(() => void dispatch(resetLogin()), [dispatch])
  useEffect(() => {
    // Only a wrong password has to be typed again. After any other problem it is still correct.
    if (problem?.code === 'invalid_grant') changeFields({ password: '' })
  }, [problem, changeFields])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A password manager may have filled the fields without a change event.
    const credentials = { ...emptyCredentials, ...Object.fromEntries(new FormData(event.currentTarget)) }
    changeFields(credentials)
    if (showProblems(checkFields(credentials, rules)) && status.kind !== 'sending') void dispatch(login(credentials))
  }

  function forget() {
    forgetCompany()
    setRememberedCompany(null)
    changeFields({ company: '' })
    formRef.current?.querySelector<HTMLElement>('[name=company]')?.focus()
  }

  // If the user has signed in in another tab meanwhile, the redirect below is rendered instead.
  if (problem?.code === 'MFA_REQUIRED' && session.kind !== 'signed in')
    return (
      <Suspense>
        <SecondStep
          step={problem.data as never}
          account={`${formValues.company.trim()}:${formValues.username.trim()}`}
          onBack={() => {
            changeFields({ password: '' })
            dispatch(resetLogin())
          }}
        />
      </Suspense>
    )
  return (
    <AccountCard
      title={t('login.title')}
      intro={t('login.lead')}
      footer={
        <>
          {t('login.signupQuestion')} <Link to="/signup">{t('login.signup')}</Link>
        </>
      }
    >
      {/* Replaces the history entry, so that Back does not return to the login. */}
      {session.kind === 'signed in' && <Navigate to={toReturnPath(query.get('to'))} replace />}
      <EarlierSessionNotes endedSession={endedSession} />
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        {!problem && !endedSession && query.has('to') && <p>{t('login.wanted')}</p>}
        <LoginProblem problem={problem} credentials={formValues} />
        <CredentialFields
          getFieldProps={getFieldProps}
          rememberedCompany={formValues.company === rememberedCompany ? rememberedCompany : null}
          onForget={forget}
        />
        <Button kind="primary" type="submit" isBusy={status.kind === 'sending'} disabledReason={waitReason}>
          {status.kind === 'sending' ? t('login.sending') : t('login.submit')}
        </Button>
      </form>
    </AccountCard>
  )
}

const getEndedSession = (session: ReturnType<typeof useSession>) =>
  session.kind === 'signed out' && session.reason === 'ended' ? session : null

function EarlierSessionNotes({ endedSession }: { endedSession: ReturnType<typeof getEndedSession> }) {
  const { t } = useTranslation('accounts')
  const userName = endedSession?.previousUser?.name ?? null
  return (
    <>
      {endedSession && <Note>{userName === null ? t('left.ended') : t('left.endedOf', { name: userName })}</Note>}
      {document.cookie.includes(unsentCountCookie.name) && (
        <Suspense>
          <UnsentWritesNote name={userName} />
        </Suspense>
      )}
    </>
  )
}

interface CredentialFieldsProps {
  getFieldProps: GetFieldProps<LoginCredentials>
  /** The company that this device remembers, while the field shows it (decision 114). */
  rememberedCompany: string | null
  onForget: () => void
}

function CredentialFields({ getFieldProps, rememberedCompany, onForget }: CredentialFieldsProps) {
  const { t } = useTranslation('accounts')
  return (
    <>
      <Field
        {...normaliseOnBlur(getFieldProps('company', t('login.company')), cleanCode)}
        help={
          rememberedCompany === null ? (
            t('login.companyHelp')
          ) : (
            <Button kind="plain" onClick={onForget}>
              {t('login.notCompany', { code: rememberedCompany })}
            </Button>
          )
        }
        autoComplete="organization"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="next"
      />
      <Field
        {...normaliseOnBlur(getFieldProps('username', t('login.username')), cleanCode)}
        type="email"
        autoComplete="username"
        autoCorrect="off"
        enterKeyHint="next"
      />
      <PasswordField
        {...getFieldProps('password', t('login.password'))}
        autoComplete="current-password"
        enterKeyHint="go"
      />
      <Link className="account-forget" to="/forget">
        {t('login.forget')}
      </Link>
    </>
  )
}
