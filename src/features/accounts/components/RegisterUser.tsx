import { isOffline } from '#contract/problem.ts'
import type { FormEvent } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { companyFields } from '#domain/accounts/companies.ts'
import { checkRegistrant, type RegistrantValues, type SignupValues } from '#domain/accounts/signup.ts'
import { titles } from '#domain/accounts/users.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/request-status.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { languageNow } from '#ui/i18n/i18n.ts'
import { useTranslation } from 'react-i18next'
import { NewPassword } from '#features/accounts/components/NewPassword.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { useWait } from '#features/accounts/components/useCountdown.ts'
import { refusedFields, register, selectRegistering } from '#features/accounts/registration.ts'

interface Props {
  values: SignupValues
  onChange: (fields: Partial<RegistrantValues>) => void
  onBack: () => void
  /** The server finds something wrong in the first step. */
  onRefused: (problems: readonly FieldProblem[]) => void
  onDone: (email: string) => void
}

const isOfCompany = ({ field }: FieldProblem) => (companyFields as readonly string[]).includes(field)

/** The second step, which sends both. */
export function RegisterUser({ values, onChange, onBack, onRefused, onDone }: Props) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const status = useSelector(selectRegistering)
  const problem = problemOf(status)
  const wait = useWait(problem)
  const { typed, type, problems, form, refuse, field } = useSmallForm<RegistrantValues>(values)
  const own = [values.code, values.name, typed.user_name, typed.user_email]

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (status.kind === 'sending' || !refuse(checkRegistrant(typed))) return
    const answer = await dispatch(register({ ...values, ...typed }, languageNow()))
    if ('email' in answer) return onDone(answer.email)
    const found = refusedFields(answer.problem)
    const ofCompany = found.filter(isOfCompany)
    if (ofCompany.length > 0) onRefused(ofCompany)
    else refuse(found)
  }
  const given = (name: keyof RegistrantValues, label: string) => {
    const { onChange: _own, ...rest } = field(name, label)
    return {
      ...rest,
      onChange: (event: { target: { value: string } }) => {
        const changed = { [name]: event.target.value }
        type(changed)
        onChange(changed)
      },
    }
  }
  const isOfField = problems.length > 0 || refusedFields(problem).length > 0

  return (
    <form className="form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
      {isOffline(problem) ? (
        <Note kind="pending">{t('signup.offline')}</Note>
      ) : (
        <ProblemNote
          problem={problem && !isOfField ? { ...problem, message: problem.message || t('signup.failed') } : null}
        />
      )}
      <ErrorSummary />
      <SelectField
        {...given('user_title', t('signup.user_title'))}
        options={titles.map((value) => ({ value, label: t(`titles.${value}`) }))}
        autoComplete="honorific-prefix"
      />
      <Field {...given('user_name', t('signup.user_name'))} autoComplete="name" maxLength={100} />
      <Field
        {...given('user_email', t('signup.user_email'))}
        help={t('signup.user_emailHelp')}
        type="email"
        autoComplete="username"
        maxLength={254}
      />
      <NewPassword
        password={given('user_password', t('signup.user_password'))}
        confirm={given('confirmPwd', t('password.confirm'))}
        own={own}
      />
      <Button kind="primary" type="submit" busy={status.kind === 'sending'} whyNot={wait}>
        {status.kind === 'sending' ? t('signup.sending') : t('signup.submit')}
      </Button>
      <Button onClick={onBack}>{t('signup.back')}</Button>
    </form>
  )
}
