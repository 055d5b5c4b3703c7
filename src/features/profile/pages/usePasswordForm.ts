import { type FormEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { changePassword } from '#contract/accounts.ts'
import { createLocalProblem, getFieldProblems, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { createInputProps, type InputErrors } from '#patterns/edit-form/input-props.ts'
import { useAction } from '#state/use-action.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import { checkPasswords, type PasswordFormValues } from '#features/profile/form.ts'

const emptyPasswords: PasswordFormValues = { original: '', newPassword: '', confirm: '' }
/** Inputs by their field names in the API. */
const inputByWireName: Record<string, keyof PasswordFormValues> = { orgPwd: 'original', newPwd: 'newPassword' }
const inputByCode: Record<string, keyof PasswordFormValues> = {
  INVALID_ORG_PASSWORD: 'original',
  PASSWORD_UNCHANGE: 'newPassword',
  WEAK_PASSWORD: 'newPassword',
}
const unchangedProblem = createLocalProblem('PASSWORD_UNCHANGE')

/** Changes the user's password. Passwords are neither queued nor kept in memory while the user has to sign in again. */
export function usePasswordForm() {
  const { t } = useTranslation('profile')
  const { t: tUi } = useTranslation('ui')
  const { run, isBusy, problem } = useAction(changePassword)
  const [values, setValues] = useState(emptyPasswords)
  const [errors, setErrors] = useState<InputErrors>({})
  const [wasSubmitted, setWasSubmitted] = useState(false)

  const toErrors = (fieldProblems: readonly FieldProblem[]): InputErrors =>
    Object.fromEntries(
      fieldProblems.map((fieldProblem) => [
        fieldProblem.field,
        formatFieldProblem(fieldProblem, t(`password.${fieldProblem.field as keyof PasswordFormValues}`)),
      ]),
    )
  /** Checks the rules of portal 5. By portal 8, the new password must also differ from the original one. */
  function checkValues(checkedValues: PasswordFormValues): InputErrors {
    const fieldProblems = checkPasswords(checkedValues)
    const isUnchanged = fieldProblems.length === 0 && checkedValues.original === checkedValues.newPassword
    return isUnchanged ? { newPassword: formatProblem(unchangedProblem) } : toErrors(fieldProblems)
  }
  function toRefusalErrors(refusal: Problem): InputErrors {
    const inputName = inputByCode[refusal.code]
    if (inputName) return { [inputName]: formatProblem(refusal) }
    return toErrors(
      getFieldProblems(refusal).flatMap((fieldProblem) => {
        const field = inputByWireName[fieldProblem.field]
        return field ? [{ ...fieldProblem, field }] : []
      }),
    )
  }
  function change(changedValues: Partial<PasswordFormValues>) {
    const nextValues = { ...values, ...changedValues }
    const nextErrors = wasSubmitted ? checkValues(nextValues) : {}
    setValues(nextValues)
    setErrors((current) => ({
      ...current,
      ...Object.fromEntries(Object.keys(changedValues).map((name) => [name, nextErrors[name]])),
    }))
  }
  function showErrors(newErrors: InputErrors, form: HTMLFormElement) {
    flushSync(() => setErrors(newErrors))
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  async function submit(form: HTMLFormElement) {
    setWasSubmitted(true)
    const valueErrors = checkValues(values)
    if (Object.keys(valueErrors).length > 0) return showErrors(valueErrors, form)
    const result = await run({ body: { orgPwd: values.original, newPwd: values.newPassword } })
    if (result.kind === 'problem') return showErrors(toRefusalErrors(result.problem), form)
    setValues(emptyPasswords)
    setErrors({})
    setWasSubmitted(false)
    showToast({ kind: 'done', text: `${tUi('message.updated')} ${t('password.ended')}` })
  }

  const isShownAtInputs = problem !== null && Object.keys(toRefusalErrors(problem)).length > 0
  return {
    values,
    ...createInputProps({ values, errors, change }),
    formProps: {
      status: isBusy ? ('sending' as const) : ('idle' as const),
      problem: isShownAtInputs ? null : problem,
      failureTitle: tUi('message.updateFailed'),
      submitLabel: t(isBusy ? 'password.sending' : 'password.submit'),
      isDirty: Object.values(values).some((value) => value !== ''),
      onSubmit(event: FormEvent<HTMLFormElement>) {
        event.preventDefault()
        void submit(event.currentTarget)
      },
    },
  }
}
