import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { passwordLength } from '#domain/accounts/passwords.ts'
import { useConnection, useDispatch, useSelector, useSignedInSession } from '#state/use-store.ts'
import { idleStatus, getStatusProblem } from '#state/request-status.ts'
import { PasswordField } from '#ui/form/Field.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { PasswordMeter } from '#ui/form/PasswordMeter.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import { checkPasswords, type PasswordFormValues } from '#features/profile/form.ts'
import { passwordAnswered, selectProfile, changeOwnPassword } from '#features/profile/slice.ts'

const emptyPasswords: PasswordFormValues = { original: '', newPassword: '', confirm: '' }
/** What the server says about one of the fields, by its own name for it. */
const fieldByWireName: Record<string, keyof PasswordFormValues> = { orgPwd: 'original', newPwd: 'newPassword' }
const fieldByCode: Record<string, keyof PasswordFormValues> = {
  INVALID_ORG_PASSWORD: 'original',
  PASSWORD_UNCHANGE: 'newPassword',
  WEAK_PASSWORD: 'newPassword',
}
const unchangedProblem = createLocalProblem('PASSWORD_UNCHANGE')

/** The own password: the original one first, the new one twice (portal 5). Never queued, never kept. */
export function Password() {
  const { t } = useTranslation('profile')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const { user } = useSignedInSession()
  const { password: status } = useSelector(selectProfile)
  const problem = getStatusProblem(status)
  const toFieldError = (fieldProblem: FieldProblem) => ({
    type: fieldProblem.code,
    message: formatFieldProblem(fieldProblem, t(`password.${fieldProblem.field as keyof PasswordFormValues}`)),
  })
  const { register, handleSubmit, formState, setError, reset, watch } = useForm<PasswordFormValues>({
    defaultValues: emptyPasswords,
    resolver: (values) => {
      const fieldProblems = checkPasswords(values)
      if (fieldProblems.length > 0)
        return {
          values: {},
          errors: Object.fromEntries(
            fieldProblems.map((fieldProblem) => [fieldProblem.field, toFieldError(fieldProblem)]),
          ),
        }
      if (values.original !== values.newPassword) return { values, errors: {} }
      return {
        values: {},
        errors: { newPassword: { type: unchangedProblem.code, message: formatProblem(unchangedProblem) } },
      }
    },
  })
  // What an earlier visit was told is not this one's.
  useEffect(() => void dispatch(passwordAnswered(idleStatus)), [dispatch])

  const submit = handleSubmit(async ({ original, newPassword }) => {
    const result = await dispatch(changeOwnPassword(original, newPassword))
    if (result.kind === 'problem') return showFieldErrors(result.problem)
    reset(emptyPasswords)
    showToast({ kind: 'done', text: `${tUi('message.updated')} ${t('password.ended')}` })
  })

  function showFieldErrors(refusal: Problem) {
    const errorField = fieldByCode[refusal.code]
    if (errorField)
      return setError(errorField, { type: refusal.code, message: formatProblem(refusal) }, { shouldFocus: true })
    for (const fieldProblem of getFieldProblems(refusal)) {
      const field = fieldByWireName[fieldProblem.field]
      if (field) setError(field, toFieldError({ ...fieldProblem, field }), { shouldFocus: true })
    }
  }

  const isFieldProblem = problem !== null && (problem.code in fieldByCode || getFieldProblems(problem).length > 0)
  const crumbs = [{ label: t('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('password.title')} intro={t('password.lead')} crumbs={crumbs} width="narrow">
      <PageForm
        status={status.kind}
        problem={isFieldProblem ? null : problem}
        failureTitle={tUi('message.updateFailed')}
        submitLabel={status.kind === 'sending' ? t('password.sending') : t('password.submit')}
        disabledReason={connection === 'online' ? null : t('password.offline')}
        onSubmit={(event) => void submit(event)}
        isDirty={formState.isDirty}
      >
        {/* For password managers, which file a password under its user. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label={t('password.original')}
          autoComplete="current-password"
          enterKeyHint="next"
          error={formState.errors.original?.message}
          {...register('original')}
        />
        <div className="field-group password-new">
          <PasswordField
            label={t('password.newPassword')}
            autoComplete="new-password"
            enterKeyHint="next"
            help={t('password.newPasswordHelp', passwordLength)}
            error={formState.errors.newPassword?.message}
            {...register('newPassword')}
          />
          <PasswordMeter
            password={watch('newPassword')}
            guessableTexts={[user.name, user.email, user.company_code, user.company_name]}
          />
        </div>
        <PasswordField
          label={t('password.confirm')}
          autoComplete="new-password"
          enterKeyHint="go"
          error={formState.errors.confirm?.message}
          {...register('confirm')}
        />
      </PageForm>
    </Page>
  )
}
