import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { passwordLength } from '#domain/accounts/passwords.ts'
import { useConnection, useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { idle, problemOf } from '#state/request-status.ts'
import { PasswordField } from '#ui/form/Field.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { PasswordMeter } from '#ui/form/PasswordMeter.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords, problemWords } from '#ui/i18n/problem-messages.ts'
import { checkPasswords, type Passwords } from '#features/profile/form.ts'
import { passwordAnswered, selectProfile, setPassword } from '#features/profile/slice.ts'

const empty: Passwords = { original: '', chosen: '', confirm: '' }
/** What the server says about one of the fields, by its own name for it. */
const fieldOf: Record<string, keyof Passwords> = { orgPwd: 'original', newPwd: 'chosen' }
const ofField: Record<string, keyof Passwords> = {
  INVALID_ORG_PASSWORD: 'original',
  PASSWORD_UNCHANGE: 'chosen',
  WEAK_PASSWORD: 'chosen',
}
const unchanged = localProblem('PASSWORD_UNCHANGE')

/** The own password: the original one first, the new one twice (portal 5). Never queued, never kept. */
export function Password() {
  const { t } = useTranslation('profile')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const { user } = useSignedIn()
  const { password: status } = useSelector(selectProfile)
  const problem = problemOf(status)
  const wrong = (found: FieldProblem) => ({
    type: found.code,
    message: fieldWords(found, t(`password.${found.field as keyof Passwords}`)),
  })
  const { register, handleSubmit, formState, setError, reset, watch } = useForm<Passwords>({
    defaultValues: empty,
    resolver: (values) => {
      const found = checkPasswords(values)
      if (found.length > 0)
        return { values: {}, errors: Object.fromEntries(found.map((one) => [one.field, wrong(one)])) }
      if (values.original !== values.chosen) return { values, errors: {} }
      return { values: {}, errors: { chosen: { type: unchanged.code, message: problemWords(unchanged) } } }
    },
  })
  // What an earlier visit was told is not this one's.
  useEffect(() => void dispatch(passwordAnswered(idle)), [dispatch])

  const submit = handleSubmit(async ({ original, chosen }) => {
    const result = await dispatch(setPassword(original, chosen))
    if (result.kind === 'problem') return tellFields(result.problem)
    reset(empty)
    showToast({ kind: 'done', text: `${words('message.updated')} ${t('password.ended')}` })
  })

  function tellFields(refused: Problem) {
    const own = ofField[refused.code]
    if (own) return setError(own, { type: refused.code, message: problemWords(refused) }, { shouldFocus: true })
    for (const found of fieldProblems(refused)) {
      const field = fieldOf[found.field]
      if (field) setError(field, wrong({ ...found, field }), { shouldFocus: true })
    }
  }

  const isOfField = problem !== null && (problem.code in ofField || fieldProblems(problem).length > 0)
  const crumbs = [{ label: t('title'), to: '/app/profile/user' }]
  return (
    <Page title={t('password.title')} intro={t('password.lead')} crumbs={crumbs} width="narrow">
      <PageForm
        status={status.kind}
        problem={isOfField ? null : problem}
        failed={words('message.updateFailed')}
        submit={status.kind === 'sending' ? t('password.sending') : t('password.submit')}
        whyNot={line === 'online' ? null : t('password.offline')}
        onSubmit={(event) => void submit(event)}
        dirty={formState.isDirty}
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
            label={t('password.chosen')}
            autoComplete="new-password"
            enterKeyHint="next"
            help={t('password.chosenHelp', passwordLength)}
            error={formState.errors.chosen?.message}
            {...register('chosen')}
          />
          <PasswordMeter
            password={watch('chosen')}
            own={[user.name, user.email, user.company_code, user.company_name]}
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
