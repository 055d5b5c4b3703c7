import { type FormEvent, useState } from 'react'
import type { Method } from '#contract/factors.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, PasswordField } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import type { Given, Proving } from '#features/accounts/factors-api.ts'
import { hasPasskeys, signWith } from '#features/accounts/passkeys.ts'
import { useWait } from '#features/accounts/components/useCountdown.ts'
import { Note } from '#features/accounts/components/Note.tsx'

/** Where one can be chosen, the first that this browser can do. */
const order: readonly Method[] = ['otp', 'assertion', 'password', 'recovery_code']

/**
 * One of several ways to show who one is: only one is asked for at a time, the others are a press away. `onGive` answers what
 * was wrong with it, null for nothing.
 */
export function ProveForm({
  proving,
  onGive,
  submit,
  children,
}: {
  proving: Proving
  onGive: (given: Given) => Promise<Problem | null>
  submit: string
  /** Further ways out, below all else. */
  children?: React.ReactNode
}) {
  const { t } = useTranslation('factors')
  const ways = order.filter((way) => proving.methods.includes(way) && (way !== 'assertion' || hasPasskeys()))
  const [way, setWay] = useState<Method>(ways[0] ?? 'recovery_code')
  const [busy, setBusy] = useState(false)
  const [typed, setTyped] = useState('')
  const [empty, setEmpty] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [closed, setClosed] = useState(false)
  const wait = useWait(problem)

  async function give(value: string) {
    setBusy(true)
    setProblem(null)
    const wrong = await onGive({ [way]: value })
    setBusy(false)
    setProblem(wrong)
  }
  async function ask() {
    setClosed(false)
    const asked = await signWith(proving.passkey ?? {})
    if (asked.kind === 'answered') return await give(asked.answer)
    setClosed(true)
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (busy || wait) return
    if (way === 'assertion') return void ask()
    if (typed.trim() === '') return setEmpty(true)
    void give(way === 'password' ? typed : typed.trim())
  }
  const choose = (next: Method) => {
    setWay(next)
    setTyped('')
    setEmpty(false)
    setProblem(null)
    setClosed(false)
  }
  const label = t(`prove.${way}.label`)
  const isWrong = problem?.code === 'MFA_INVALID'
  const error = empty ? fieldWords({ code: 'REQUIRED' }, label) : isWrong ? t(`prove.${way}.wrong`) : null
  const field = {
    label,
    error,
    value: typed,
    autoFocus: true,
    onChange: (event: { target: { value: string } }) => {
      setTyped(event.target.value)
      setEmpty(false)
    },
  }
  return (
    <form className="form" noValidate onSubmit={send}>
      {isOffline(problem) ? <Note kind="pending">{t('offline')}</Note> : <Told problem={isWrong ? null : problem} />}
      {way === 'otp' && (
        <Field
          key={way}
          {...field}
          help={t('prove.otp.help')}
          name="otp"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
          enterKeyHint="go"
        />
      )}
      {way === 'recovery_code' && (
        <Field
          key={way}
          {...field}
          help={t('prove.recovery_code.help')}
          name="recovery_code"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={50}
          enterKeyHint="go"
        />
      )}
      {way === 'password' && <PasswordField key={way} {...field} name="password" autoComplete="current-password" />}
      {way === 'assertion' && (
        <>
          <p>{t('prove.assertion.text')}</p>
          {(closed || isWrong) && <Note>{t(closed ? 'prove.assertion.closed' : 'prove.assertion.wrong')}</Note>}
        </>
      )}
      <Button
        kind="primary"
        type="submit"
        busy={busy}
        whyNot={wait}
        // A new key for each way: the focus begins anew where there is no field to take it.
        key={`go ${way}`}
        autoFocus={way === 'assertion'}
        icon={way === 'assertion' ? 'key' : undefined}
      >
        {way === 'assertion' ? t('prove.assertion.submit') : submit}
      </Button>
      <div className="factor-ways">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <Button key={other} kind="plain" onClick={() => choose(other)}>
              {t(`prove.${other}.choose`)}
            </Button>
          ))}
        {children}
      </div>
    </form>
  )
}

const Told = ({ problem }: { problem: Problem | null }) => <ProblemNote problem={problem} focus />
