import { QRCodeSVG } from 'qrcode.react'
import { type FormEvent, useState } from 'react'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'
import { useOnlineResponse } from '#state/use-online-response.ts'
import { type FactorSetup, getSetupEndpoints } from '#features/accounts/factor-setup.ts'

export function SetUpApp({ setup, onAdded }: { setup: FactorSetup; onAdded: (codes: string[] | null) => void }) {
  const { t } = useTranslation('factors')
  const { mfa_token, isFirst } = setup
  const { begin, add } = getSetupEndpoints(isFirst)
  const { response, problem: beginProblem } = useOnlineResponse(begin, { body: { mfa_token, kind: 'totp' } })
  const { run, isBusy, problem, clearProblem } = useAction(add)
  const [values, setValues] = useState({ name: t('app.usualName'), otp: '' })
  const [isChecked, setIsChecked] = useState(false)

  async function send() {
    const result = await run({ body: { mfa_token, kind: 'totp', name: values.name.trim(), otp: values.otp.trim() } })
    if (result.kind === 'fresh') onAdded(result.output.recovery_codes)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    clearProblem()
    if (!isBusy && values.name.trim() !== '' && values.otp.trim() !== '') void send()
  }
  const getFieldProps = (name: keyof typeof values, label: string) => ({
    name,
    label,
    value: values[name],
    error: isChecked && values[name].trim() === '' ? formatFieldProblem({ code: 'REQUIRED' }, label) : null,
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  })
  const isWrong = problem?.code === 'MFA_INVALID'
  const code = getFieldProps('otp', t('app.code'))
  const totp = response?.totp
  if (!totp) return beginProblem ? <ProblemNote problem={beginProblem} shouldFocus /> : <Skeleton lines={6} />
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ProblemNote problem={isWrong ? null : problem} shouldFocus />
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
          <Field {...getFieldProps('name', t('name'))} help={t('nameHelp')} maxLength={60} autoComplete="off" />
        </li>
      </ol>
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {t('app.submit')}
      </Button>
    </form>
  )
}
