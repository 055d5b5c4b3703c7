import { type FormEvent, useState } from 'react'
import type { ProofMethod } from '#contract/factors.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, PasswordField } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import type { IdentityProof, IdentityChallenge } from '#features/accounts/factors-api.ts'
import { hasPasskeys, signWithPasskey } from '#features/accounts/passkeys.ts'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { Note } from '#features/accounts/components/Note.tsx'

/** Where one can be chosen, the first that this browser can do. */
const methodOrder: readonly ProofMethod[] = ['otp', 'assertion', 'password', 'recovery_code']

/**
 * One of several ways to show who one is: only one is asked for at a time, the others are a press away. `onProof` answers what
 * was wrong with it, null for nothing.
 */
export function VerifyIdentityForm({
  challenge,
  onProof,
  submitLabel,
  children,
}: {
  challenge: IdentityChallenge
  onProof: (proof: IdentityProof) => Promise<Problem | null>
  submitLabel: string
  /** Further ways out, below all else. */
  children?: React.ReactNode
}) {
  const { t } = useTranslation('factors')
  const methods = methodOrder.filter(
    (candidate) => challenge.methods.includes(candidate) && (candidate !== 'assertion' || hasPasskeys()),
  )
  const [method, setMethod] = useState<ProofMethod>(methods[0] ?? 'recovery_code')
  const [isBusy, setIsBusy] = useState(false)
  const [typedValue, setTypedValue] = useState('')
  const [isEmpty, setIsEmpty] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isDialogClosed, setDialogClosed] = useState(false)
  const waitReason = useCountdown(problem)

  async function submitProof(value: string) {
    setIsBusy(true)
    setProblem(null)
    const newProblem = await onProof({ [method]: value })
    setIsBusy(false)
    setProblem(newProblem)
  }
  async function askPasskey() {
    setDialogClosed(false)
    const result = await signWithPasskey(challenge.passkey ?? {})
    if (result.kind === 'answered') return await submitProof(result.response)
    setDialogClosed(true)
  }
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || waitReason) return
    if (method === 'assertion') return void askPasskey()
    if (typedValue.trim() === '') return setIsEmpty(true)
    void submitProof(method === 'password' ? typedValue : typedValue.trim())
  }
  const chooseMethod = (nextMethod: ProofMethod) => {
    setMethod(nextMethod)
    setTypedValue('')
    setIsEmpty(false)
    setProblem(null)
    setDialogClosed(false)
  }
  const label = t(`prove.${method}.label`)
  const isWrong = problem?.code === 'MFA_INVALID'
  const error = isEmpty ? formatFieldProblem({ code: 'REQUIRED' }, label) : isWrong ? t(`prove.${method}.wrong`) : null
  const fieldProps = {
    label,
    error,
    value: typedValue,
    autoFocus: true,
    onChange: (event: { target: { value: string } }) => {
      setTypedValue(event.target.value)
      setIsEmpty(false)
    },
  }
  return (
    <form className="form" noValidate onSubmit={handleSubmit}>
      {isOffline(problem) ? (
        <Note kind="pending">{t('offline')}</Note>
      ) : (
        <FocusedProblem problem={isWrong ? null : problem} />
      )}
      {method === 'otp' && (
        <Field
          key={method}
          {...fieldProps}
          help={t('prove.otp.help')}
          name="otp"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
          enterKeyHint="go"
        />
      )}
      {method === 'recovery_code' && (
        <Field
          key={method}
          {...fieldProps}
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
      {method === 'password' && (
        <PasswordField key={method} {...fieldProps} name="password" autoComplete="current-password" />
      )}
      {method === 'assertion' && (
        <>
          <p>{t('prove.assertion.text')}</p>
          {(isDialogClosed || isWrong) && (
            <Note>{t(isDialogClosed ? 'prove.assertion.closed' : 'prove.assertion.wrong')}</Note>
          )}
        </>
      )}
      <Button
        kind="primary"
        type="submit"
        isBusy={isBusy}
        disabledReason={waitReason}
        // A new key for each way: the focus begins anew where there is no field to take it.
        key={`go ${method}`}
        autoFocus={method === 'assertion'}
        icon={method === 'assertion' ? 'key' : undefined}
      >
        {method === 'assertion' ? t('prove.assertion.submit') : submitLabel}
      </Button>
      <div className="factor-ways">
        {methods
          .filter((otherMethod) => otherMethod !== method)
          .map((otherMethod) => (
            <Button key={otherMethod} kind="plain" onClick={() => chooseMethod(otherMethod)}>
              {t(`prove.${otherMethod}.choose`)}
            </Button>
          ))}
        {children}
      </div>
    </form>
  )
}

const FocusedProblem = ({ problem }: { problem: Problem | null }) => <ProblemNote problem={problem} shouldFocus />
