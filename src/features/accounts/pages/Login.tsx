/** The first page of all, so it stays light: native fields, no PrimeReact, no database. */
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { unsentCountCookie } from '#contract/cookies.ts'
import { checkFields, type FieldProblem, checkRequired } from '#domain/checks/field-checks.ts'
import { cleanCode } from '#domain/text.ts'
import type { LoginCredentials } from '#state/store.ts'
import { useConnection, useDispatch, useSelector, useSession } from '#state/use-store.ts'
import { idleStatus, getStatusProblem } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, PasswordField } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { LoginProblem } from '#features/accounts/components/LoginProblem.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { toReturnPath } from '#features/accounts/return-to.ts'
import { login, loginAnswered, selectAccounts } from '#features/accounts/slice.ts'

// Only who has a second factor, or must have one, needs its code.
const SecondStep = lazy(async () => ({
  default: (await import(/* chunk: online */ '#features/accounts/components/SecondStep.tsx')).SecondStep,
}))

/** Brings the device's database along, which the form does not wait for. */
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
  const { networkState: connection } = useConnection()
  const endedSession = session.kind === 'signed out' && session.reason === 'ended' ? session : null
  const { loginStatus: status } = useSelector(selectAccounts)
  const problem = getStatusProblem(status)
  const previousLogin = endedSession?.previousUser
  const [credentials, setCredentials] = useState({
    ...emptyCredentials,
    ...(previousLogin && { company: previousLogin.company, username: previousLogin.username }),
  })
  const [fieldProblems, setFieldProblems] = useState<FieldProblem[]>([])
  const [refusalCount, setRefusalCount] = useState(0)
  const formRef = useRef<HTMLFormElement>(null)
  const waitReason = useCountdown(problem)
  useRedirect(session.kind === 'signed in' ? toReturnPath(query.get('to')) : null)

  // What an earlier visit was told is not this one's.
  useEffect(() => void dispatch(loginAnswered(idleStatus)), [dispatch])
  useEffect(() => {
    // Only a wrong password is typed again; after anything else it is still right.
    if (problem?.code === 'invalid_grant') setCredentials((current) => ({ ...current, password: '' }))
  }, [problem])
  // When it is refused, and not while it is being mended: the focus stays where somebody types.
  useEffect(() => {
    if (refusalCount > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusalCount])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A password manager may have filled the fields without a change event.
    const submittedCredentials = {
      ...emptyCredentials,
      ...Object.fromEntries(new FormData(event.currentTarget)),
    } as LoginCredentials
    const newProblems = checkFields({ ...submittedCredentials }, rules)
    setCredentials(submittedCredentials)
    setFieldProblems(newProblems)
    if (newProblems.length > 0) setRefusalCount((count) => count + 1)
    if (newProblems.length === 0 && status.kind !== 'sending') void dispatch(login(submittedCredentials))
  }
  const getFieldProps = (name: keyof LoginCredentials, label: string) => ({
    name,
    label,
    value: credentials[name],
    error: getFieldMessage(fieldProblems, name, label),
    onChange: (event: { target: { value: string } }) => {
      setCredentials({ ...credentials, [name]: event.target.value })
      setFieldProblems(fieldProblems.filter((candidate) => candidate.field !== name))
    },
  })

  if (problem?.code === 'MFA_REQUIRED')
    return (
      <Suspense>
        <SecondStep
          step={problem.data as never}
          account={`${credentials.company.trim()}:${credentials.username.trim()}`}
          onBack={() => {
            setCredentials({ ...credentials, password: '' })
            dispatch(loginAnswered(idleStatus))
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
      {endedSession && <Note>{previousLogin ? t('left.endedOf', { name: previousLogin.name }) : t('left.ended')}</Note>}
      {document.cookie.includes(unsentCountCookie.name) && (
        <Suspense>
          <UnsentWritesNote name={previousLogin?.name ?? null} />
        </Suspense>
      )}
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        {problem ? (
          <LoginProblem problem={problem} credentials={credentials} />
        ) : (
          <>
            {!endedSession && query.has('to') && <p>{t('login.wanted')}</p>}
            {connection !== 'online' && <Note kind="pending">{t('login.offline')}</Note>}
          </>
        )}
        <Field
          {...normaliseOnBlur(getFieldProps('company', t('login.company')), cleanCode)}
          help={t('login.companyHelp')}
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
        <Button kind="primary" type="submit" isBusy={status.kind === 'sending'} disabledReason={waitReason}>
          {status.kind === 'sending' ? t('login.sending') : t('login.submit')}
        </Button>
      </form>
    </AccountCard>
  )
}

function getFieldMessage(problems: readonly FieldProblem[], name: string, label: string): string | null {
  const problem = problems.find(({ field }) => field === name)
  return problem ? formatFieldProblem(problem, label) : null
}

/** Whoever is signed in has no business here: Back must not lead to a login either. */
function useRedirect(path: string | null) {
  const navigate = useNavigate()
  useEffect(() => {
    if (path !== null) void navigate(path, { replace: true })
  }, [path, navigate])
}
