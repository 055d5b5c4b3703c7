import { type FormEvent, type ReactNode, useState } from 'react'
import type { ProofMethod, SecondStep } from '#contract/factors.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, type FieldProps, PasswordField } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { hasPasskeys, signWithPasskey } from '#features/accounts/passkeys.ts'
import { FormProblem } from '#features/accounts/components/FormProblem.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'

/** Order of preference: the first method that the account has and the browser supports is offered. */
const methodOrder: readonly ProofMethod[] = ['otp', 'assertion', 'password', 'recovery_code']

/** The key is the name of the method's field in the request. */
export type IdentityProof = Partial<Record<ProofMethod, string>>

interface VerifyIdentityFormProps {
  challenge: Pick<SecondStep, 'methods' | 'passkey'>
  sendProof: (proof: IdentityProof) => AppThunk<CallResult<unknown>>
  onProven?: () => void
  submitLabel: string
  children?: ReactNode
}

export function VerifyIdentityForm({ challenge, sendProof, onProven, submitLabel, children }: VerifyIdentityFormProps) {
  const { t } = useTranslation('factors')
  const methods = methodOrder.filter(
    (candidate) => challenge.methods.includes(candidate) && (candidate !== 'assertion' || hasPasskeys()),
  )
  const [method, setMethod] = useState<ProofMethod>(methods[0] ?? 'recovery_code')
  const { run, isBusy, problem, clearProblem } = useAction(sendProof)
  const [typedValue, setTypedValue] = useState('')
  const [isEmpty, setIsEmpty] = useState(false)
  const [isDialogClosed, setDialogClosed] = useState(false)
  const waitReason = useCountdown(problem)

  async function submitProof(value: string) {
    const result = await run({ [method]: value })
    if (result.kind !== 'problem') onProven?.()
  }
  async function requestPasskey() {
    setDialogClosed(false)
    const result = await signWithPasskey(challenge.passkey ?? {})
    if (result.kind === 'answered') return await submitProof(result.response)
    setDialogClosed(true)
  }
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || waitReason) return
    if (method === 'assertion') return void requestPasskey()
    if (typedValue.trim() === '') return setIsEmpty(true)
    void submitProof(method === 'password' ? typedValue : typedValue.trim())
  }
  const changeMethod = (nextMethod: ProofMethod) => {
    setMethod(nextMethod)
    setTypedValue('')
    setIsEmpty(false)
    clearProblem()
    setDialogClosed(false)
  }
  const isWrong = problem?.code === 'MFA_INVALID'
  const isPasskey = method === 'assertion'
  return (
    <form className="form" noValidate onSubmit={handleSubmit}>
      <FormProblem problem={problem} offlineText={t('offline')} isAtField={isWrong} shouldFocus />
      {isPasskey ? (
        <PasskeyText isDialogClosed={isDialogClosed} isWrong={isWrong} />
      ) : (
        <ProofField
          key={method}
          method={method}
          value={typedValue}
          errorKind={isEmpty ? 'empty' : isWrong ? 'wrong' : null}
          onChange={(value) => {
            setTypedValue(value)
            setIsEmpty(false)
          }}
        />
      )}
      <Button
        kind="primary"
        type="submit"
        isBusy={isBusy}
        disabledReason={waitReason}
        // A new key for each method remounts the button, so that it gets the focus if the method has no field.
        key={`go ${method}`}
        autoFocus={isPasskey}
        icon={isPasskey ? 'key' : undefined}
      >
        {isPasskey ? t('prove.assertion.submit') : submitLabel}
      </Button>
      <div className="factor-ways">
        {methods
          .filter((otherMethod) => otherMethod !== method)
          .map((otherMethod) => (
            <Button key={otherMethod} kind="plain" onClick={() => changeMethod(otherMethod)}>
              {t(`prove.${otherMethod}.choose`)}
            </Button>
          ))}
        {children}
      </div>
    </form>
  )
}

function PasskeyText({ isDialogClosed, isWrong }: { isDialogClosed: boolean; isWrong: boolean }) {
  const { t } = useTranslation('factors')
  return (
    <>
      <p>{t('prove.assertion.text')}</p>
      {(isDialogClosed || isWrong) && (
        <Note>{t(isDialogClosed ? 'prove.assertion.closed' : 'prove.assertion.wrong')}</Note>
      )}
    </>
  )
}

interface ProofFieldProps {
  method: Exclude<ProofMethod, 'assertion'>
  value: string
  errorKind: 'empty' | 'wrong' | null
  onChange: (value: string) => void
}

const codeFieldProps = {
  otp: { autoComplete: 'one-time-code', inputMode: 'numeric', maxLength: 12 },
  recovery_code: {
    autoComplete: 'off',
    autoCapitalize: 'none',
    autoCorrect: 'off',
    spellCheck: false,
    maxLength: 50,
  },
} as const satisfies Record<string, Partial<FieldProps>>

function ProofField({ method, value, errorKind, onChange }: ProofFieldProps) {
  const { t } = useTranslation('factors')
  const label = t(`prove.${method}.label`)
  const errorMessages = {
    empty: () => formatFieldProblem({ code: 'REQUIRED' }, label),
    wrong: () => t(`prove.${method}.wrong`),
  }
  const fieldProps = {
    name: method,
    label,
    error: errorKind && errorMessages[errorKind](),
    value,
    autoFocus: true,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  if (method === 'password') return <PasswordField {...fieldProps} autoComplete="current-password" />
  return <Field {...fieldProps} {...codeFieldProps[method]} help={t(`prove.${method}.help`)} enterKeyHint="go" />
}
