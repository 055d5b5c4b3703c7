import { QRCodeSVG } from 'qrcode.react'
import { type FormEvent, useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import { add, type Setting, setUp } from '#features/accounts/factors-api.ts'

type Secret = { secret: string; uri: string }

/** An authenticator app: scan or type the secret, name it, give its first code. */
export function SetUpApp({ setting, onAdded }: { setting: Setting; onAdded: (codes: string[] | null) => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [totp, setTotp] = useState<Secret | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [typed, setTyped] = useState({ name: t('app.usualName'), otp: '' })
  const [checked, setChecked] = useState(false)
  const [busy, setBusy] = useState(false)
  const { mfa_token, first } = setting
  useEffect(() => {
    let stands = true
    void dispatch(setUp({ mfa_token, first }, 'totp')).then((result) => {
      if (!stands) return
      if (result.kind === 'fresh') setTotp(result.output.totp)
      if (result.kind === 'problem') setProblem(result.problem)
    })
    return () => void (stands = false)
  }, [dispatch, mfa_token, first])

  async function send() {
    setBusy(true)
    const made = { kind: 'totp' as const, name: typed.name.trim(), otp: typed.otp.trim() }
    const result = await dispatch(add(setting, made))
    setBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    if (result.kind === 'fresh') onAdded(result.output.recovery_codes)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    setProblem(null)
    if (!busy && typed.name.trim() !== '' && typed.otp.trim() !== '') void send()
  }
  const field = (name: keyof typeof typed, label: string) => ({
    name,
    label,
    value: typed[name],
    error: checked && typed[name].trim() === '' ? fieldWords({ code: 'REQUIRED' }, label) : null,
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })
  const isWrong = problem?.code === 'MFA_INVALID'
  const code = field('otp', t('app.code'))
  if (!totp) return problem ? <ProblemNote problem={problem} focus /> : <Skeleton lines={6} />
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ProblemNote problem={isWrong ? null : problem} focus />
      <ol className="factor-steps">
        <li>
          <p>{t('app.scan')}</p>
          <div className="factor-scan">
            <QRCodeSVG value={totp.uri} size={176} marginSize={3} title={t('app.qr')} className="factor-qr" />
            <div>
              <p className="field-help">{t('app.byHand')}</p>
              <CopyText text={totp.secret.replace(/(.{4})(?=.)/g, '$1 ')} />
            </div>
          </div>
        </li>
        <li>
          <Field
            {...code}
            error={code.error ?? (isWrong ? t('app.wrong') : null)}
            help={t('app.codeHelp')}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={12}
          />
        </li>
        <li>
          <Field {...field('name', t('name'))} help={t('nameHelp')} maxLength={60} autoComplete="off" />
        </li>
      </ol>
      <Button kind="primary" type="submit" busy={busy}>
        {t('app.submit')}
      </Button>
    </form>
  )
}
