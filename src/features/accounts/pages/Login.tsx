/** The first page of all, so it stays light: native fields, no PrimeReact, no database. */
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { tallyCookie } from '#contract/cookies.ts'
import { check, type FieldProblem, required } from '#domain/checks/field-checks.ts'
import { tidyCode } from '#domain/text.ts'
import type { Credentials } from '#state/store.ts'
import { useConnection, useDispatch, useSelector, useSession } from '#state/hooks.ts'
import { idle, problemOf } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, PasswordField } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { LoginProblem } from '#features/accounts/components/LoginProblem.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useWait } from '#features/accounts/components/useCountdown.ts'
import { returnTo } from '#features/accounts/return-to.ts'
import { login, loginAnswered, selectAccounts } from '#features/accounts/slice.ts'

// Only who has a second factor, or must have one, needs its code.
const SecondStep = lazy(async () => ({
  default: (await import(/* chunk: online */ '#features/accounts/components/SecondStep.tsx')).SecondStep,
}))

/** Brings the device's database along, which the form does not wait for. */
const LeftBehind = lazy(async () => ({
  default: (await import('#features/accounts/components/LeftBehind.tsx')).LeftBehind,
}))

const empty: Credentials = { company: '', username: '', password: '' }
const rules = { company: [required], username: [required], password: [required] }

export function Login() {
  const { t } = useTranslation('accounts')
  const dispatch = useDispatch()
  const [query] = useSearchParams()
  const session = useSession()
  const { line } = useConnection()
  const ended = session.kind === 'signed out' && session.because === 'ended' ? session : null
  const { login: status } = useSelector(selectAccounts)
  const problem = problemOf(status)
  const was = ended?.was
  const [typed, setTyped] = useState({ ...empty, ...(was && { company: was.company, username: was.username }) })
  const [problems, setProblems] = useState<FieldProblem[]>([])
  const [refusals, setRefusals] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const wait = useWait(problem)
  useLeaveFor(session.kind === 'signed in' ? returnTo(query.get('to')) : null)

  // What an earlier visit was told is not this one's.
  useEffect(() => void dispatch(loginAnswered(idle)), [dispatch])
  useEffect(() => {
    // Only a wrong password is typed again; after anything else it is still right.
    if (problem?.code === 'invalid_grant') setTyped((now) => ({ ...now, password: '' }))
  }, [problem])
  // When it is refused, and not while it is being mended: the focus stays where somebody types.
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusals])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A password manager may have filled the fields without a change event.
    const now = { ...empty, ...Object.fromEntries(new FormData(event.currentTarget)) } as Credentials
    const found = check({ ...now }, rules)
    setTyped(now)
    setProblems(found)
    if (found.length > 0) setRefusals((count) => count + 1)
    if (found.length === 0 && status.kind !== 'sending') void dispatch(login(now))
  }
  const field = (name: keyof Credentials, label: string) => ({
    name,
    label,
    value: typed[name],
    error: wordsFor(problems, name, label),
    onChange: (event: { target: { value: string } }) => {
      setTyped({ ...typed, [name]: event.target.value })
      setProblems(problems.filter((one) => one.field !== name))
    },
  })

  if (problem?.code === 'MFA_REQUIRED')
    return (
      <Suspense>
        <SecondStep
          step={problem.data as never}
          account={`${typed.company.trim()}:${typed.username.trim()}`}
          onBack={() => {
            setTyped({ ...typed, password: '' })
            dispatch(loginAnswered(idle))
          }}
        />
      </Suspense>
    )
  return (
    <AccountCard
      title={t('login.title')}
      intro={t('login.lead')}
      below={
        <>
          {t('login.signupQuestion')} <Link to="/signup">{t('login.signup')}</Link>
        </>
      }
    >
      {ended && <Note>{was ? t('left.endedOf', { name: was.name }) : t('left.ended')}</Note>}
      {document.cookie.includes(tallyCookie.name) && (
        <Suspense>
          <LeftBehind name={was?.name ?? null} />
        </Suspense>
      )}
      <form className="form" ref={form} noValidate onSubmit={submit}>
        {problem ? (
          <LoginProblem problem={problem} typed={typed} />
        ) : (
          <>
            {!ended && query.has('to') && <p>{t('login.wanted')}</p>}
            {line !== 'online' && <Note kind="pending">{t('login.offline')}</Note>}
          </>
        )}
        <Field
          {...tidyOnLeave(field('company', t('login.company')), tidyCode)}
          help={t('login.companyHelp')}
          autoComplete="organization"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="next"
        />
        <Field
          {...tidyOnLeave(field('username', t('login.username')), tidyCode)}
          type="email"
          autoComplete="username"
          autoCorrect="off"
          enterKeyHint="next"
        />
        <PasswordField {...field('password', t('login.password'))} autoComplete="current-password" enterKeyHint="go" />
        <Link className="account-forget" to="/forget">
          {t('login.forget')}
        </Link>
        <Button kind="primary" type="submit" busy={status.kind === 'sending'} whyNot={wait}>
          {status.kind === 'sending' ? t('login.sending') : t('login.submit')}
        </Button>
      </form>
    </AccountCard>
  )
}

function wordsFor(problems: readonly FieldProblem[], name: string, label: string): string | null {
  const found = problems.find(({ field }) => field === name)
  return found ? fieldWords(found, label) : null
}

/** Whoever is signed in has no business here: Back must not lead to a login either. */
function useLeaveFor(path: string | null) {
  const navigate = useNavigate()
  useEffect(() => {
    if (path !== null) void navigate(path, { replace: true })
  }, [path, navigate])
}
