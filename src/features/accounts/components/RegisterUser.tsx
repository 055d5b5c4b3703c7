import type { FormEvent } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { companyFields } from '#domain/accounts/company-fields.ts'
import { checkRegistrant, type RegistrantValues, type SignupValues } from '#domain/accounts/signup.ts'
import { titles } from '#domain/accounts/users.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Field } from '#ui/form/Field.tsx'
import { getLanguage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { FormProblem } from '#features/accounts/components/FormProblem.tsx'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { useCountdown } from '#features/accounts/components/useCountdown.ts'
import { toFieldProblems, register, selectRegistrationStatus } from '#features/accounts/registration.ts'

interface RegisterUserProps {
  values: SignupValues
  onChange: (fields: Partial<RegistrantValues>) => void
  onBack: () => void
  onCompanyProblems: (problems: readonly FieldProblem[]) => void
  onDone: (email: string) => void
}

const isCompanyProblem = ({ field }: FieldProblem) => (companyFields as readonly string[]).includes(field)

export function RegisterUser({ values, onChange, onBack, onCompanyProblems, onDone }: RegisterUserProps) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const status = useSelector(selectRegistrationStatus)
  const problem = getStatusProblem(status)
  const waitReason = useCountdown(problem)
  const { formValues, changeFields, problems, formRef, showProblems, getFieldProps } =
    useSmallForm<RegistrantValues>(values)
  const personalValues = [values.code, values.name, formValues.user_name, formValues.user_email]

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (status.kind === 'sending' || !showProblems(checkRegistrant(formValues))) return
    const result = await dispatch(register({ ...values, ...formValues }, getLanguage()))
    if ('email' in result) return onDone(result.email)
    const serverProblems = toFieldProblems(result.problem)
    const companyProblems = serverProblems.filter(isCompanyProblem)
    if (companyProblems.length > 0) onCompanyProblems(companyProblems)
    else showProblems(serverProblems)
  }
  const buildFieldProps: typeof getFieldProps = (name, label) => ({
    ...getFieldProps(name, label),
    onChange: (event) => {
      const changedFields = { [name]: event.target.value }
      changeFields(changedFields)
      onChange(changedFields)
    },
  })
  const isFieldProblem = problems.length > 0 || toFieldProblems(problem).length > 0

  return (
    <form className="form" ref={formRef} noValidate onSubmit={(event) => void submit(event)}>
      <FormProblem
        problem={problem && { ...problem, message: problem.message || t('signup.failed') }}
        offlineText={t('signup.offline')}
        isAtField={isFieldProblem}
      />
      <ErrorSummary />
      <SelectField
        {...buildFieldProps('user_title', t('signup.user_title'))}
        options={[
          { value: '', label: t('signup.noTitle') },
          ...titles.map((value) => ({ value, label: t(`titles.${value}`) })),
        ]}
        autoComplete="honorific-prefix"
      />
      <Field {...buildFieldProps('user_name', t('signup.user_name'))} autoComplete="name" maxLength={100} />
      <Field
        {...buildFieldProps('user_email', t('signup.user_email'))}
        help={t('signup.user_emailHelp')}
        type="email"
        autoComplete="username"
        maxLength={254}
      />
      <NewPassword
        password={buildFieldProps('user_password', t('signup.user_password'))}
        confirm={buildFieldProps('confirmPwd', t('password.confirm'))}
        personalValues={personalValues}
      />
      <Button kind="primary" type="submit" isBusy={status.kind === 'sending'} disabledReason={waitReason}>
        {status.kind === 'sending' ? t('signup.sending') : t('signup.submit')}
      </Button>
      <Button onClick={onBack}>{t('signup.back')}</Button>
    </form>
  )
}
